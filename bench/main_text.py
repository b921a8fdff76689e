"""Learns which blocks of a page are its main text, from pages whose main text is known, and says how well.

    python bench/main_text.py check PAGES.jsonl.gz…       word F1 of pages of domains that were not learnt from
    python bench/main_text.py halves PAGES.jsonl.gz…      the same, each half of the domains judged by the other
    python bench/main_text.py learn PAGES.jsonl.gz… > native/src/best/learnt.rs

A line of PAGES is one page: `{url, html, text, type}`. Needs numpy and lightgbm, which Skitter itself does not, and the
kernel. When what is measured of a block has changed (`features.rs`), build the kernel, learn, and build it again.

A block is right as far as its words are in the true text, in its order. In learning a page weighs 1, so that long pages
don't outweigh short ones, and its blocks weigh as many words as they have. Pages of one domain are never on both sides.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import lightgbm
import numpy as np

from skitter import _native

WORD = re.compile(r"\w+")
RUNS = (8, 4)
"""Words in a row that are looked for in the true text, the longer ones first."""
PARTS = {"check": 5, "halves": 2}
ROUNDS = 500
LEARNING = {
    "objective": "cross_entropy",
    "learning_rate": 0.04,
    "num_leaves": 8,
    "max_depth": 3,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "num_threads": 1,
    "seed": 1,
    "verbose": -1,
}


class Page(NamedTuple):
    """A page cut into blocks: the words of each, what is measured of it, and how much of it is main text."""

    url: str
    kind: str
    truth: Sequence[str]
    words: Sequence[Sequence[str]]
    measured: Any
    right: Any

    @property
    def lengths(self) -> Any:
        return np.array([len(words) for words in self.words], float)

    @property
    def weights(self) -> Any:
        lengths = self.lengths
        return lengths / (max(20.0, float((lengths * self.right).sum())) + 0.5 * lengths.sum())


def pages(path: str) -> Iterator[Page]:
    """Yields the pages of a file that have any text."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            read = json.loads(line)
            blocks = _native.blocks(read["html"].encode("utf-8", "surrogatepass"), read["url"])
            words = [words_of(text) for text, _ in blocks]
            measured = np.array([row for _, row in blocks], np.float32)
            truth = words_of(read["text"])
            lines = {tuple(words_of(line)) for line in read["text"].split("\n")}
            if blocks:
                yield Page(read["url"], read["type"], truth, words, measured, right(words, truth, lines))


def words_of(text: str) -> list[str]:
    return WORD.findall(text.lower())


def right(blocks: Sequence[Sequence[str]], truth: Sequence[str], lines: set[tuple[str, ...]]) -> Any:
    """Returns which share of each block is in the truth; each place of the truth is used once."""
    flat = [word for words in blocks for word in words]
    ends = np.cumsum([len(words) for words in blocks])
    is_right, is_used = np.zeros(len(flat), bool), np.zeros(len(truth), bool)
    for run in RUNS:
        match(flat, truth, run, is_right, is_used)
    shares = np.zeros(len(blocks))
    for number, (words, end) in enumerate(zip(blocks, ends, strict=True)):
        if words:
            shares[number] = is_right[end - len(words) : end].mean()
        if 0 < len(words) < RUNS[0] and shares[number] < 0.5:
            shares[number] = max(shares[number], is_short_right(words, truth, lines, is_used))
    return shares


def match(flat: Sequence[str], truth: Sequence[str], run: int, is_right: Any, is_used: Any) -> None:
    """Marks what is equal in both for at least so many words."""
    places = defaultdict(list)
    for at in range(len(truth) - run + 1):
        places[tuple(truth[at : at + run])].append(at)
    at = 0
    while at <= len(flat) - run:
        free = (place for place in places[tuple(flat[at : at + run])] if not is_used[place : place + run].any())
        place = None if is_right[at] else next(free, None)
        length = 1
        if place is not None:
            while is_equal(flat, at + length, truth, place + length) and not is_used[place + length]:
                length += 1
            is_right[at : at + length] = is_used[place : place + length] = True
        at += length


def is_equal(flat: Sequence[str], at: int, truth: Sequence[str], place: int) -> bool:
    return at < len(flat) and place < len(truth) and flat[at] == truth[place]


def is_short_right(words: Sequence[str], truth: Sequence[str], lines: set[tuple[str, ...]], is_used: Any) -> bool:
    """Whether a block of few words is in the truth where nothing else is; of one or two words, as a line of its own."""
    if len(words) < 3 and tuple(words) not in lines:
        return False
    for at, word in enumerate(truth):
        end = at + len(words)
        if word == words[0] and list(truth[at:end]) == list(words) and not is_used[at:end].any():
            is_used[at:end] = True
            return True
    return False


def learn(known: Sequence[Page]) -> Any:
    measured = np.vstack([page.measured for page in known])
    weights = np.concatenate([page.weights for page in known])
    labels = np.concatenate([page.right for page in known])
    return lightgbm.train(LEARNING, lightgbm.Dataset(measured, labels, weight=weights / weights.mean()), ROUNDS)


def f1(page: Page, likely: Any) -> float:
    """Returns the word F1 of what `model.rs` would choose."""
    order, lengths = np.argsort(-likely), page.lengths
    gained = 2 * np.cumsum((likely * lengths)[order]) / (np.cumsum(lengths[order]) + (likely * lengths).sum() + 1e-9)
    chosen = order[: int(np.argmax(gained)) + 1]
    found = Counter(word for number in chosen for word in page.words[number])
    both = (found & Counter(page.truth)).total()
    return 2 * both / max(1, found.total() + len(page.truth))


def part(page: Page, parts: int) -> int:
    domain = ".".join((urlsplit(page.url).hostname or "").split(".")[-2:])
    return zlib.crc32(domain.encode()) % parts


def check(known: Sequence[Page], parts: int) -> None:
    """Prints the F1 by kind of page, each page judged by what was learnt of the other parts."""
    found = defaultdict(list)
    for number in range(parts):
        model = learn([page for page in known if part(page, parts) != number])
        for page in known:
            if part(page, parts) == number:
                score = f1(page, model.predict(page.measured))
                found[page.kind].append(score)
                found["all"].append(score)
    for kind, scores in sorted(found.items()):
        print(f"{kind:15} {len(scores):4} pages, word F1 {np.mean(scores):.3f} mean, {np.median(scores):.3f} median")


def source(model: Any) -> str:
    """Returns what was learnt as a table in Rust."""
    trees = [flattened(tree["tree_structure"]) for tree in model.dump_model()["tree_info"]]
    rows = [
        f"    learnt({features}, [{', '.join(map(number, bounds))}], [{', '.join(map(number, answers))}]),"
        for features, bounds, answers in trees
    ]
    return "\n".join([HEAD, f"pub static LEARNT: [Questions; {len(trees)}] = [", *rows, "];"])


HEAD = """//! What was learnt of pages whose main text is known. `bench/main_text.py learn` writes this file.

use super::model::{NEVER, Questions, learnt};

#[rustfmt::skip]"""


def flattened(tree: dict[str, Any]) -> tuple[list[int], list[float], list[float]]:
    """Returns the questions of a tree level by level, and its answers; one that is not asked is answered with no."""
    features, bounds, answers = [0] * 7, [float("inf")] * 7, [0.0] * 8

    def put(node: dict[str, Any], at: int, path: int) -> None:
        if at >= len(features):
            answers[path] = node["leaf_value"]
            return
        if "split_feature" in node:
            features[at], bounds[at] = node["split_feature"], node["threshold"]
        put(node.get("left_child", node), 2 * at + 1, 2 * path)
        put(node.get("right_child", node), 2 * at + 2, 2 * path + 1)

    put(tree, 0, 0)
    return features, bounds, answers


def number(value: float) -> str:
    if value == float("inf"):
        return "NEVER"
    rounded = float(f"{value:.4g}")
    return str(round(rounded, 4)) if abs(rounded) < 10 else str(rounded)


if __name__ == "__main__":
    task, *paths = sys.argv[1:]
    known = [page for path in paths for page in pages(path)]
    if task in PARTS:
        check(known, PARTS[task])
    else:
        print(source(learn(known)))
