"""Which domains a crawl may have: those that were blocked wait here for the operator's word."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from skitter.cli.options import DirectoryArgument, JsonOption
from skitter.cli.say import say
from skitter.folder import inbox
from skitter.inspection.domains import DomainLook, domain_named, in_review
from skitter.inspection.folder import Folder
from skitter.inspection.meant import domain_meant, from_when
from skitter.ports import Allow, Block, Boost, Instruction
from skitter.words.figures import counted

review = typer.Typer(help="Domains that look like farms and are blocked until you decide.", no_args_is_help=True)

BOOSTED_PAGES = 10_000
DomainArgument = Annotated[
    str, typer.Argument(metavar="DOMAIN", help="A registered domain, or any host or URL of it: all of it is meant.")
]


@review.command("list")
def review_list(directory: DirectoryArgument, json: JsonOption = False) -> None:
    """List the domains that were blocked until you decide, with what speaks against each."""
    now = time.time()
    with Folder(directory) as folder:
        found = in_review(folder, now)
    if json:
        say(msgspec.json.encode({"domains": found}))
    elif not found:
        say("No domain waits for your decision.")
    for one in [] if json else found:
        say(in_words(one, directory))


@review.command("allow")
def review_allow(directory: DirectoryArgument, domain: DomainArgument) -> None:
    """Vouch for a domain: it is crawled as if you had named it as a seed."""
    _instruct(directory, domain, Allow, "may have as much as politeness allows")


@review.command("block")
def review_block(directory: DirectoryArgument, domain: DomainArgument) -> None:
    """Fetch nothing more of a domain. What it has queued stays queued."""
    _instruct(directory, domain, Block, "is left alone, with all its hosts")


def block(directory: DirectoryArgument, domain: DomainArgument) -> None:
    """Fetch nothing more of a domain, until `skitter review allow`. What it has queued stays queued."""
    review_block(directory, domain)


def boost(
    directory: DirectoryArgument,
    domain: DomainArgument,
    pages: Annotated[int, typer.Option(min=1, metavar="N", help="So many pages.")] = BOOSTED_PAGES,
) -> None:
    """Fetch the best pages of a domain before all others: by its sitemap and by the links to them."""
    told = f"comes before all others for {counted(pages, 'page')}"
    _instruct(directory, domain, lambda name: Boost(name, pages), told)


def in_words(one: DomainLook, directory: Path) -> str:
    """Returns what is known of a domain that waits for a decision."""
    reasons = "; ".join(one.against)
    return f"{one.domain}\n    {reasons}.\n    skitter review allow {directory} {one.domain}    or    … block …"


def _instruct(directory: Path, text: str, instruction: Callable[[str], Instruction], told: str) -> None:
    with Folder(directory) as folder:
        domain = domain_meant(folder, text)
        inbox.post(directory, folder.shard_of(domain), instruction(domain))
        known = "" if domain_named(folder, domain, 0.0) is not None else " The crawl has not found anything of it yet."
        say(f"{domain} {told}.{known} {from_when(folder)}")
