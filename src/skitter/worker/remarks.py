"""What plug-ins say of what a worker fetched: they are asked here, where the body is; the node is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skitter.judge.verdict import verdict_of
from skitter.messages import Fetched
from skitter.parse.outlinks import nothing_known
from skitter.reading.meaning import Reading, Rules, verdict_by_headers
from skitter.reading.read import failure_of
from skitter.worker.facts import Read

if TYPE_CHECKING:  # few crawls have any
    from skitter.plugins.chain import Plugins


async def with_plugins(fetched: Fetched, read: Read, rules: Rules, plugins: Plugins) -> Read:
    """Returns what an answer says, with what plug-ins read out of it and say of it."""
    if failure_of(fetched, rules.settings) is not None or read.listing is not None:
        return read
    parsing = plugins.parsing(fetched, _reading(fetched, read, rules), rules, nothing_known)
    reading, text, page = await plugins.wait(parsing)
    looked = await plugins.wait(plugins.looking(fetched, reading, text))
    return Read(page or read.page, None, looked.verdict, looked.fields)


def _reading(fetched: Fetched, read: Read, rules: Rules) -> Reading:
    """Returns as much of what an answer means as plug-ins are shown."""
    page = read.page
    if page is None:
        return Reading(verdict=verdict_by_headers(fetched, rules))
    verdict = verdict_of(page.directives, links_cut=page.links_cut)
    return Reading(links=page.links, verdict=verdict, title=page.title, lang=page.lang, said=page.said)
