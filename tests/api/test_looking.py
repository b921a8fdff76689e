"""What can be asked of a crawl that has stopped, each by a real request."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from skitter.console.table import COLUMNS
from tests.api.asking import Served
from tests.api.conftest import Ran

pytestmark = pytest.mark.slow


def test_how_it_stands(looked: Served, made: Ran) -> None:
    looked.get("/v1/hosts")  # waits for the first survey
    told = looked.get("/v1/status", role="read")
    assert told["crawl"] == "crawl"
    assert told["running"] is False
    assert told["live"]["ended"] == "pages"
    assert told["live"]["pages"] >= 30
    assert sum(told["live"]["urls"].values()) == told["standing"]["discovered"] > 30
    assert told["standing"]["hosts"]["known"] == len(made.hosts)
    assert told["as_of"] <= told["now"]
    assert told["health"]["level"] == "well"
    (crawl,) = looked.get("/v1/crawls")["crawls"]
    assert (crawl["crawl"], crawl["running"], crawl["seeds"]) == ("crawl", False, len(made.hosts))


def pages(looked: Served, path: str, field: str) -> list[Any]:
    """All pages of a list, by their cursors."""
    found, cursor = [], ""
    for _ in range(50):
        told = looked.get(f"{path}&cursor={cursor}")
        found += told[field]
        if (cursor := told["cursor"]) is None:
            return found
    raise AssertionError("the cursors have no end")


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_hosts_by_every_column_page_by_page(looked: Served, made: Ran, column: str, order: str) -> None:
    rows = pages(looked, f"/v1/hosts?sort={column}&order={order}&limit=2", "hosts")
    assert sorted(row["host"] for row in rows) == sorted(made.hosts)
    values = [row[column] for row in rows if row[column] is not None]
    assert values == sorted(values, reverse=order == "desc")
    assert rows == looked.get(f"/v1/hosts?sort={column}&order={order}")["hosts"]


def test_hosts_are_searched(looked: Served, made: Ran) -> None:
    name = made.hosts[2].partition(".")[0]
    told = looked.get(f"/v1/hosts?search={name.upper()}")
    assert [row["host"] for row in told["hosts"]] == [made.hosts[2]]
    assert (told["matching"], told["known"], told["cursor"]) == (1, len(made.hosts), None)
    assert looked.get("/v1/hosts?search=nowhere")["hosts"] == []


def test_one_host(looked: Served, made: Ran) -> None:
    told = looked.get(f"/v1/hosts/{made.hosts[0]}")
    look = told["judged"]["host"]
    assert look["host"] == made.hosts[0]
    assert look["requests"] > 0
    assert told["domain"]["hosts"] == 1
    assert told["robots"][0]["access"] == "rules"
    assert "Disallow" in told["robots"][0]["text"]
    assert len(told["next_urls"]) == min(10, look["urls"]["queued"])
    assert looked.ask("GET", "/v1/hosts/nowhere.test").told["right"]
    assert looked.ask("GET", "/v1/hosts/%20").status == 404


def test_urls_by_their_beginning(looked: Served, made: Ran) -> None:
    host = made.hosts[0]
    urls = pages(looked, f"/v1/urls?prefix=http://{host}/&limit=3", "urls")
    known = looked.get(f"/v1/hosts/{host}")["judged"]["host"]["urls"]
    assert len(urls) == len({row["url"] for row in urls}) == sum(known.values())
    assert {row["state"] for row in urls} == {state for state, many in known.items() if many}
    some = pages(looked, f"/v1/urls?prefix={host}/p/1&limit=3", "urls")
    assert sorted(row["url"] for row in some) == sorted(
        row["url"] for row in urls if row["url"].startswith(f"http://{host}/p/1")
    )
    assert looked.get("/v1/urls?prefix=http://nowhere.test/")["urls"] == []


def test_the_story_of_a_url(looked: Served, made: Ran) -> None:
    url = quote(f"http://{made.hosts[0]}/", safe="")
    story = looked.get(f"/v1/urls/why?url={url}")
    assert story["found"]["state"] == "done"
    assert story["robots"]["allowed"] is True
    history = looked.get(f"/v1/urls/history?url={url}")
    assert [visit["status"] for visit in history["visits"]] == [200]
    unknown = looked.get(f"/v1/urls/why?url={url}nothing")
    assert unknown["found"] is None


def test_numbers_settings_and_lists(looked: Served) -> None:
    series = looked.get("/v1/series?span=86400")
    assert {"pages", "errors", "received", "urls_queued", "fresh", "margin"} <= series["columns"].keys()
    assert {len(column) for column in series["columns"].values()} == {len(series["at"])}
    settings = {line["key"]: line for line in looked.get("/v1/settings")["settings"]}
    assert settings["politeness.delay"]["value"] == 0.05
    assert settings["politeness.delay"]["default"] == 1.0
    assert looked.get("/v1/review") == {"domains": []}
    assert looked.get("/v1/changes") == {"changes": []}
    assert looked.get("/v1/complaints") == {"complaints": []}


WRONG = {
    "/v1/hosts?sort=colour": ("sort", "colour"),
    "/v1/hosts?limit=0": ("limit", "0"),
    "/v1/hosts?limit=x": ("limit", "x"),
    "/v1/hosts?cursor=%21": ("cursor", "!"),
    "/v1/hosts?sort=host&cursor=kgu0aDAwMDIuc2ltLnRlc3Q6NDAwMjk": ("cursor", ""),
    "/v1/hosts?nothing=1": ("query", "nothing"),
    "/v1/urls?prefix=": ("prefix", ""),
    "/v1/urls?prefix=ftp://a": ("prefix", "ftp"),
    "/v1/urls?prefix=a.test&cursor=zz": ("cursor", "zz"),
    "/v1/urls/why": ("query", "url"),
    "/v1/urls/why?url=%3A%3A": ("url", "::"),
    "/v1/urls/history?url=ftp://a/": ("url", "ftp://a/"),
    "/v1/series?span=1": ("span", "1"),
    "/v1/changes?limit=9999": ("limit", "9999"),
}


@pytest.mark.parametrize("path", WRONG)
def test_a_wrong_parameter_is_named_with_what_would_be_right(looked: Served, path: str) -> None:
    field, value = WRONG[path]
    status, told, _ = looked.ask("GET", path)
    assert (status, told["status"]) == (400, 400)
    assert told["field"] == field
    assert value in told["value"] + told["detail"]
    assert told["right"]
