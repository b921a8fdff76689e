from collections.abc import Callable, Collection, Iterator, Sequence

from skitter.messages import LinkKind, Target
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
    ) -> tuple[list[tuple[str, str, LinkKind, bool, str]], list[Target], bool]: ...

class Rules:
    def __new__(
        cls,
        *,
        kinds: Sequence[LinkKind],
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
