"""Who is sent to a browser that need not be? `python bench/need.py [FOLDER …]`

Complete pages, whose text is in what a server sends: those of Debian's documentation packages, and of folders that are
named. The rules of `judge/need.py` were chosen on other pages.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pages import CACHE, real_pages

from skitter.judge.need import after_rendering, is_doubtful, measured, need_of
from skitter.parse import html
from skitter.parse.links import FOLLOWED
from skitter.settings import ParseSettings

GOAL = 0.003


def main() -> None:
    """Prints a line for each source, and the pages that would be rendered."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, help="of HTML files, or *.jsonl.gz with {url, html}")
    parser.add_argument("--most", type=int, default=20_000, help="pages of each source")
    options = parser.parse_args()
    real_pages(1)  # downloads them if need be
    shares = []
    for folder in (CACHE / "usr" / "share", *options.folders):
        files = [path for path in sorted(folder.rglob("*.htm*")) if path.is_file()]
        shares.append(_told(folder, files[:: max(1, len(files) // options.most)]))
    raise SystemExit(max(shares) > GOAL)


def _told(folder: Path, files: Iterable[Path]) -> float:
    """Returns the share that would be rendered, all pages being of one host that learns that it brings nothing."""
    needs: Counter[str] = Counter()
    shown, learnt = list[str](), dict[str, tuple[int, int]]()
    count = scripts = at_first = 0
    for path in files:
        body, url = path.read_bytes(), f"http://pages.test/{path.relative_to(folder)}"
        page = html.read(body, url, (("Content-Type", "text/html"),), ParseSettings(), "skitter", has_text=False)
        if page.refresh is not None:
            continue  # it says that it is another page
        count += 1
        scripts += b"<script" in body.lower()
        followed = sum(link.kind in FOLLOWED for link in page.links)
        if not is_doubtful(page.said, followed):
            continue
        at_first += need_of(measured(body), followed, url, {}) is not None
        if (need := need_of(measured(body), followed, url, learnt)) is not None:
            learnt = after_rendering(learnt, url, was_worth_it=False)
            needs[need.value] += 1
            shown.append(str(path.relative_to(folder)))
    told = sum(needs.values())
    share = told / max(1, count)
    print(f"{folder}: {count} pages, {scripts} with a script, {told} to be rendered ({share:.2%}): {dict(needs)}")
    print(f"    {at_first} without what is learnt on the way; the first ones: {' '.join(shown[:5])}")
    return share


if __name__ == "__main__":
    main()
