"""What the table of text costs a page: CPU of each grade, in turn, over the WARC files of a crawl.

python bench/text.py DIR [--rounds 3]      a crawl's folder, its own tables are left alone
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path

from msgspec import structs

from skitter.content.file import Rules, make_contents
from skitter.content.kinds import all_readers
from skitter.content.making import settings_of
from skitter.store.warc.places import sealed_files

GRADES = ("best", "quick")


def cpu() -> float:
    """Returns the CPU seconds of this process and of those that it has waited for."""
    both = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    files, settings = sealed_files(given.directory / "warc"), settings_of(given.directory)
    least: dict[str, float] = {}
    for _ in range(given.rounds):
        for grade in GRADES:
            content = structs.replace(settings.content, text=grade)
            readers, end = all_readers(content)
            rules = Rules(structs.replace(settings, content=content), readers)
            began, rows = cpu(), 0
            with tempfile.TemporaryDirectory() as out:
                for path in files:
                    rows += make_contents(given.directory, path, Path(out), rules).text
            end()
            least[grade] = min(least.get(grade, 1e9), (cpu() - began) / rows)
    print(f"{rows} documents, least of {given.rounds} rounds in turn")
    for grade, seconds in least.items():
        print(f"  {grade}: {seconds * 1e6:.0f} µs CPU a document")


if __name__ == "__main__":
    main()
