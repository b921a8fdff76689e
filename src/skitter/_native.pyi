from collections.abc import Iterator

def scan(
    html: bytes, max_text: int, max_anchor: int, max_title: int
) -> tuple[str | None, str, str, list[tuple[str, str, str]], Iterator[tuple[str, str, str, str]], str]: ...
