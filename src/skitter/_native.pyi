from collections.abc import Callable, Collection, Iterator, Sequence
from typing import overload

from skitter.messages import Link, LinkKind, Target
from skitter.parse.reference import Found

def scan(
    html: bytes, max_text: int, max_anchor: int, max_title: int
) -> tuple[str | None, str, str, list[tuple[str, str, str]], Links, str]: ...

class Links(Iterator[Found]):
    def __next__(self) -> Found: ...
    def read(
        self,
        rules: Rules,
        folders: Sequence[str],
        max_links: int,
        resolve: Callable[[str], str | None],
        refreshed: Callable[[str], str | None],
        target: Callable[[str], Target | None] | None,
        is_known: Callable[[bytes], bool],
    ) -> tuple[LinkTable, tuple[Target, ...], int, bool, str | None]: ...

class LinkTable(Sequence[Link]):
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> Link: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Link, ...]: ...
    def is_clean(self) -> bool: ...
    def lines(self) -> bytes: ...

class LinkColumns:
    def __len__(self) -> int: ...
    @property
    def size(self) -> int: ...
    def add(self, source: str, links: LinkTable) -> None: ...
    def buffers(self) -> tuple[list[tuple[bytes, bytes]], bytes]: ...

class Rules:
    def __new__(
        cls,
        *,
        link: Callable[[tuple[object, ...]], Link],
        kinds: Sequence[LinkKind],
        canonical: int,
        embed: int,
        followed: Sequence[bool],
        treatment: Callable[[str, str], tuple[int | None, bool]],
        index_pages: Collection[str],
        max_length: int,
        drop_www: bool,
        drop_index: bool,
        drop_trailing_slash: bool,
        merge_schemes: bool,
    ) -> Rules: ...
