"""`skitter tools`: the pure parts on their own, for other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable

import typer

from skitter.cli.options import ConfigOption, SetOption, loaded

tools = typer.Typer(
    help="The pure parts on their own: JSON lines in, JSON lines out, same order, `id` echoed.", no_args_is_help=True
)

EXAMPLES: dict[str, tuple[str, ...]] = {
    "robots": (
        "Whether robots.txt lets an agent fetch a URL.",
        '{"id": 1, "robots": "User-agent: *\\nDisallow: /private", "agent": "skitter", "url": "http://a.org/private/x"}',
    ),
    "urls": (
        "Parse a URL as the WHATWG standard says (op parse), or tell whether two are one to us (op same).",
        '{"id": 1, "op": "parse", "base": "http://a.org/x/", "input": "../y?z#f"}',
    ),
    "links": (
        "The links of an HTML page, its base, canonical, refresh and robots directives.",
        '{"id": 1, "url": "http://a.org/", "html": "<a rel=nofollow href=/b>b</a>", "headers": {}}',
    ),
    "text": (
        "The main text of an HTML page without its boilerplate, its title, description and language.",
        '{"id": 1, "url": "http://a.org/", "html": "<nav>Home</nav><p>It was a dark and stormy night.</p>"}',
    ),
    "sitemap": (
        "The URLs in a sitemap, sitemap index, feed or list of URLs; gzip is unpacked.",
        '{"id": 1, "url": "http://a.org/sitemap.txt", "content_type": "text/plain", "body_b64": "aHR0cDovL2EuYi9j"}',
    ),
    "charset": (
        "The encoding that a body declares: byte order mark, header, then meta.",
        '{"id": 1, "content_type": "text/html; charset=latin1", "body_b64": ""}',
    ),
    "simhash": (
        "The SimHash of a text, or of the main text of an HTML page: 64 bits over shingles of four words.",
        '{"id": 1, "text": "To be, or not to be, that is the question"}',
    ),
    "near": (
        "Which of the pages before says the same as an HTML page, but for a little; as the crawl tells within a site.",
        '{"id": 1, "url": "http://a.org/", "html": "<p>To be, or not to be, that is the question</p>"}',
    ),
    "schedule": (
        "When the pages of a crawl are visited, if so many visits a day can be made, by when they will change.",
        '{"budget": 1, "from": 0, "until": 864000}',
        '{"id": 1, "host": "a.org", "known_at": 0, "changes": [200000, 400000]}',
    ),
}


def _tool_command(name: str) -> Callable[..., None]:
    def command(config: ConfigOption = None, set_: SetOption = None) -> None:
        from skitter.tools.answers import run  # the parsers take a while to load, and only these commands need them

        settings = loaded(config, set_).settings
        for line in run(name, sys.stdin.buffer, settings):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    meaning, *lines = EXAMPLES[name]
    said = " ".join(f"'{line}'" for line in lines)
    command.__doc__ = f"{meaning}\n\nExample:\n\n  printf '%s\\n' {said} | skitter tools {name}"
    return command


for _name in EXAMPLES:
    tools.command(_name)(_tool_command(_name))
