"""Plug-ins of a worker: asked where the body is, stored there, and told to the node, which goes by it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from skitter.errors import OperatorError
from skitter.messages import Errand, Fetched, Lease, Reason
from skitter.parse.outlinks import nothing_known
from skitter.plugins.chain import opened
from skitter.reading.meaning import Rules
from skitter.settings import PluginSettings, ScopeSettings, Settings
from skitter.url.canon import Canon
from skitter.url.scope import Scope
from skitter.work.meaning import carried
from skitter.work.messages import Result
from skitter.worker.facts import capture_of, read_facts, told_of
from skitter.worker.parts import Own, plugins_here
from skitter.worker.remarks import with_plugins

EXAMPLES = str(Path(__file__).parents[2] / "examples" / "plugins")
NAME = "language:OnlyLanguage"
PLUGINS = PluginSettings(use=(NAME,), folder=EXAMPLES, options={NAME: {"only": ["en"]}})
SETTINGS = Settings(plugins=PLUGINS, scope=ScopeSettings(reach="any"))
RULES = Rules(SETTINGS, Canon(), Scope(SETTINGS.scope))
LEASE = Lease("http://a.example/", "a.example", Errand.PAGE, 60.0)


def page(lang: str) -> Fetched:
    body = f'<html lang="{lang}"><title>x</title><a href="/next">n</a>'.encode()
    headers = [("Content-Type", "text/html")]
    return Fetched(LEASE, 0.0, 0.0, "192.0.2.1", status=200, headers=headers, body=body)


@pytest.mark.slow
def test_a_node_goes_by_what_the_plugins_of_a_worker_say() -> None:
    with opened(PLUGINS) as plugins:
        assert plugins is not None
        for lang, is_kept in (("de", False), ("en", True)):
            fetched = page(lang)
            read = asyncio.run(with_plugins(fetched, read_facts(fetched, RULES), RULES, plugins))
            stored = capture_of(fetched, read, RULES)
            assert (stored.verdict.keep, stored.verdict.follow) == (is_kept, is_kept)
            told = msgspec.json.decode(msgspec.json.encode(told_of(fetched, read, None, 1.0)), type=Result)
            reading = carried(LEASE, told, 0.0, 1.0, RULES, nothing_known).reading
            assert reading.verdict.keep is is_kept
            assert len(reading.found) == is_kept
            assert list(reading.verdict.reasons) == ([] if is_kept else [Reason.PLUGIN])
            assert list(reading.verdict.marks) == ([] if is_kept else ["language.OnlyLanguage:lang_de"])


def test_an_api_does_not_choose_which_files_of_a_worker_are_run(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="--plugins = None: the crawl uses language:OnlyLanguage"):
        plugins_here(PLUGINS, Own("one", tmp_path))
    assert plugins_here(PLUGINS, Own("one", tmp_path, plugins="/mine")).folder == "/mine"
    installed = PluginSettings(use=("language",), folder="/theirs")
    assert plugins_here(installed, Own("one", tmp_path)).folder == ""


def test_what_a_worker_makes_up_is_looked_at() -> None:
    wrong = b'{"status": 200, "began_ago": 0, "ended_ago": 0, "remark": {"marks": ["no reason here"]}}'
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(wrong, type=Result)
