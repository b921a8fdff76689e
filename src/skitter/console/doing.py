"""Doing what the operator wants: each act becomes instructions for shards, or an order for the crawl as a whole.

Whatever it is, it is safe on disk when this returns, and says what was before and is then, for the log of changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from skitter.config.fields import FIELDS
from skitter.config.load import load
from skitter.config.running import AT_RUN_TIME
from skitter.console.acts import (
    Act,
    AddSeeds,
    AllowDomain,
    BlockDomain,
    BoostDomain,
    ChangeSettings,
    Complain,
    Done,
    PauseHost,
    RateHost,
    RecrawlPages,
    ResumeHost,
    RetryDead,
    SeedLine,
)
from skitter.errors import OperatorError, masked
from skitter.folder import inbox
from skitter.folder.crawlfile import settings_file
from skitter.folder.orders import SetSettings, post_order
from skitter.inspection.domains import domain_named
from skitter.inspection.folder import Folder
from skitter.inspection.hosts import host_named
from skitter.inspection.meant import (
    all_pages,
    domain_meant,
    from_when,
    given_up,
    host_meant,
    page_meant,
    pages_of_host,
    require_known,
)
from skitter.ports import Allow, Block, Boost, Instruction, Pause, Rate, Resume
from skitter.schedule.priority import SEED_PRIORITY
from skitter.settings import DAY, Settings
from skitter.shard.records import HostFlag
from skitter.supervisor.begin import add_seeds, canonical_seeds, keep_settings
from skitter.url.keys import fingerprint

SLOWER = 2.0
"""How many times as long the delay of a host is of which somebody complained."""


def do(folder: Folder, act: Act) -> Done:
    """Returns when the act is safe on disk. OperatorError names the field that is wrong; then nothing is done."""
    done: Done = HOW[type(act)](folder, act)
    return done


def _pause(folder: Folder, act: PauseHost | ResumeHost) -> Done:
    host = _host(folder, act.host, anyway=act.anyway)
    is_pause = isinstance(act, PauseHost)
    before = {"paused": _is_paused(folder, host)}
    _post_host(folder, host, Pause(host) if is_pause else Resume(host))
    told = "is left alone" if is_pause else "is taken up again"
    return _done(folder, f"{host} {told}.", host, before, {"paused": is_pause})


def _rate(folder: Folder, act: RateHost) -> Done:
    host = _host(folder, act.host, anyway=act.anyway)
    before = {"agreed_delay": _agreed(folder, host)}
    _post_host(folder, host, Rate(host, act.seconds))
    told = "as every other" if act.seconds is None else f"every {act.seconds:g} s"
    return _done(folder, f"{host} is visited {told}.", host, before, {"agreed_delay": act.seconds})


def _domain(
    instruction: Callable[[str, Any], Instruction],
    told: Callable[[Any], str],
    after: Callable[[Any], dict[str, object]],
    folder: Folder,
    act: Any,
) -> Done:
    domain = _named("domain", partial(domain_meant, folder), act.domain)
    known = domain_named(folder, domain, 0.0)
    inbox.post(folder.directory, folder.shard_of(domain), instruction(domain, act))
    before = {"known_as": None if known is None else known.known_as}
    return _done(folder, f"{domain} {told(act)}.", domain, before, after(act))


def _recrawl(folder: Folder, act: RecrawlPages) -> Done:
    if (act.url is not None) + (act.host is not None) + act.all != 1:
        raise OperatorError("url", act.url or "", "name a url, or a host, or say all: one of the three")
    if act.url is not None:
        orders, what = [_named("url", partial(page_meant, folder), act.url)], masked(act.url)
    elif act.host is not None:
        what = _host(folder, act.host, anyway=False)
        orders = [pages_of_host(folder, what)]
    else:
        orders, what = all_pages(folder), "all pages"
    for order in orders:
        inbox.post(folder.directory, order.shard, order)
    return _done(folder, f"{what}: seen again as soon as politeness allows.", what)


def _retry(folder: Folder, act: RetryDead) -> Done:
    host = None if act.host is None else _host(folder, act.host, anyway=False)
    orders = given_up(folder, host, is_purged=act.purged)
    for order in orders:
        inbox.post(folder.directory, order.shard, order)
    none = f"None was {'purged' if act.purged else 'given up'}."
    return _done(folder, "They will be tried again." if orders else none, host or "all pages")


def _seeds(folder: Folder, act: AddSeeds) -> Done:
    seeds = _named("urls", lambda texts: canonical_seeds(texts, folder.settings), list(act.urls))
    lines: dict[str, SeedLine] = {}
    for url in seeds:
        shard = folder.shard(folder.shard_of(url.host))
        is_known = url.href in folder.crawl.seeds or (shard is not None and shard.url(fingerprint(url.key)) is not None)
        lines.setdefault(url.href, SeedLine(url.href, "known" if is_known else "accepted"))
    priority = SEED_PRIORITY if act.priority is None else act.priority
    _named("urls", lambda texts: add_seeds(folder.directory, texts, folder.settings, priority), list(lines))
    accepted = sum(line.state == "accepted" for line in lines.values())
    known = len(act.urls) - accepted
    told = f"{accepted} accepted, {known} known before."
    after = {"accepted": accepted, "known": known, "priority": priority}
    done = _done(folder, told, f"{len(act.urls)} seeds", {"seeds": len(folder.crawl.seeds)}, after)
    return Done(done.what, done.target, done.before, done.after, done.effect, accepted, known, list(lines.values()))


def _settings(folder: Folder, act: ChangeSettings) -> Done:
    for key in act.set:
        if key not in AT_RUN_TIME:
            right = "can't be changed while a crawl runs" if key in FIELDS else "no such setting"
            raise OperatorError(
                key or "set", act.set[key], f"{right}; right would be one of {', '.join(sorted(AT_RUN_TIME))}"
            )
    file = settings_file(folder.directory)
    asked = load([file] if file is not None else [], flags=act.set).settings
    before = {key: setting(folder.settings, key) for key in act.set}
    after = {key: setting(asked, key) for key in act.set}
    if folder.running is None:
        keep_settings(folder.directory, asked)
    else:
        post_order(folder.directory, SetSettings(dict(act.set)))
    told = "; ".join(f"{key} is {after[key]!r}, it was {before[key]!r}" for key in act.set)
    return _done(folder, f"{told}.", ", ".join(act.set), before, after)


def _complain(folder: Folder, act: Complain) -> Done:
    host = _host(folder, act.host, anyway=True)
    if act.act == "block":
        done = do(folder, BlockDomain(host))
    elif act.act == "slow":
        look = host_named(folder, host, 0.0)
        delay = folder.settings.politeness.delay if look is None else look.delay
        done = do(folder, RateHost(host, min(DAY, SLOWER * delay), anyway=True))
    else:
        done = _done(folder, "It is kept.", host)
    return Done(done.what, host, done.before, done.after, done.effect if act.act != "none" else "")


HOW: Mapping[type, Callable[[Folder, Any], Done]] = {
    PauseHost: _pause,
    ResumeHost: _pause,
    RateHost: _rate,
    BlockDomain: partial(
        _domain, lambda name, _: Block(name), lambda _: "is left alone, with all its hosts", lambda _: {"blocked": True}
    ),
    AllowDomain: partial(
        _domain, lambda name, _: Allow(name), lambda _: "may have what politeness allows", lambda _: {"blocked": False}
    ),
    BoostDomain: partial(
        _domain,
        lambda name, act: Boost(name, act.pages),
        lambda act: f"comes before all others for {act.pages} pages",
        lambda act: {"boosted_pages": act.pages},
    ),
    RecrawlPages: _recrawl,
    RetryDead: _retry,
    AddSeeds: _seeds,
    ChangeSettings: _settings,
    Complain: _complain,
}
"""How each act is done: a test holds it against the list of acts."""


def setting(settings: Settings, key: str) -> object:
    """Returns the value of a key."""
    section, _, name = key.partition(".")
    value: object = getattr(getattr(settings, section), name)
    return value


def _done(folder: Folder, what: str, target: str, before: object = None, after: object = None) -> Done:
    return Done(what, target, before, after, from_when(folder))


def _post_host(folder: Folder, host: str, instruction: Instruction) -> None:
    inbox.post(folder.directory, folder.shard_of(host), instruction)


def _host(folder: Folder, text: str, *, anyway: bool) -> str:
    meant = host_meant if anyway else require_known
    host: str = _named("host", lambda name: meant(folder, name), text)
    return host


def _named(field: str, call: Callable[[Any], Any], value: Any) -> Any:
    """Returns what `call` does; its errors name the field as the request does, and how to go on there."""
    try:
        return call(value)
    except OperatorError as error:
        right = error.right.replace("(--anyway does it anyway)", '("anyway": true does it anyway)')
        raise OperatorError(field, error.value, right) from None


def _is_paused(folder: Folder, host: str) -> bool:
    shard = folder.shard(folder.shard_of(host))
    record = None if shard is None else shard.host(host)
    return record is not None and bool(record.flags & HostFlag.PAUSED)


def _agreed(folder: Folder, host: str) -> float | None:
    shard = folder.shard(folder.shard_of(host))
    record = None if shard is None else shard.host(host)
    return None if record is None else record.agreed_delay
