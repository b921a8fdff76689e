"""A crawl with workers, all real processes: killed, stopped, lying. The server's log proves that delays were kept."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from skitter.servers.child import free_ports
from skitter.simweb.judge import repeated
from skitter.simweb.settings import PLAIN
from skitter.store.warc.places import all_files
from skitter.store.warc.reader import Reader
from skitter.url.keys import host_of
from skitter.work.desk import GRACE
from tests.faults.crawler import Crawl, Web, served, settled
from tests.fleet.nodes import Fleet, wait_for
from tests.servers.kafka import Broker
from tests.worker.workers import TOKENS, Worker, ask, token_file

DELAY = 0.5
STALL = 0.25
RESULT = {"status": 200, "began_ago": 0.1, "ended_ago": 0.0}
pytestmark = pytest.mark.slow


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with served(tmp_path, structs.replace(PLAIN, seed=11, hosts=20, pages_per_host=14), "plain") as web:
        web.seeds = web.world.homes()
        yield web


@pytest.fixture
def port() -> int:
    return free_ports(1)[0]


@pytest.fixture
def crawl(tmp_path: Path, web: Web, port: int) -> Iterator[Crawl]:
    tokens = token_file(tmp_path, *TOKENS)
    more = ("--api-port", str(port), "--api-tokens", str(tokens), "--set", "node.stop_seconds=2")
    crawl = Crawl(tmp_path / "out", web, *more, delay=DELAY)
    try:
        yield crawl
    finally:
        crawl.close()


def judge(web: Web) -> None:
    findings = web.findings()
    assert {host: visits.most_at_once for host, visits in findings.hosts.items() if visits.most_at_once > 1} == {}
    assert findings.too_early(DELAY, STALL) == {}
    assert not findings.forbidden
    assert not findings.before_robots
    assert not findings.missed(web.truth())


def urls_in(folder: Path) -> set[str]:
    """The pages in an archive, whose every record is whole."""
    found = set()
    for path in all_files(folder / "warc"):
        reader = Reader(path)
        found |= {record.fields["warc-target-uri"] for record in reader if record.kind == "response"}
        assert reader.broken is None or path.name.endswith(".open")
    return found


def test_workers_and_nodes_are_killed_and_nothing_is_lost_nor_asked_too_soon(
    tmp_path: Path, web: Web, crawl: Crawl, port: int
) -> None:
    api, dice = f"http://127.0.0.1:{port}", random.Random(3)
    one, two = Worker(tmp_path, web, "one", api), Worker(tmp_path, web, "two", api)
    with contextlib.closing(one), contextlib.closing(two):
        crawl.start()
        one.start()
        two.start()
        wait_for(lambda: len(web.requests()) > 60, 60, one.told)
        stopping = threading.Thread(target=two.stop_for, args=(10.0,))
        stopping.start()
        one.kill()
        time.sleep(1)
        one.start()
        time.sleep(3)
        crawl.kill_node(dice)
        time.sleep(3)
        one.kill()
        one.start()
        stopping.join()
        wait_for(lambda: not web.findings().missed(web.truth()), 90, one.told)
        crawl.stop()
        crawl.end(60)
        assert one.leave() == 0, one.told()
        assert two.leave() == 0, two.told()
    judge(web)
    assert urls_in(one.out), "a worker had nothing to do"
    assert urls_in(two.out)
    # Whatever was killed, a page is fetched again only if it was leased then: few of each host.
    assert max(Counter(request.url for request in repeated(web.requests())).values(), default=0) <= 3
    assert settled(crawl.out), "and the counts of every shard add up"


def test_a_worker_that_lies_settles_nothing_but_its_own(tmp_path: Path, web: Web, crawl: Crawl, port: int) -> None:
    host = f"127.0.0.1:{port}"
    crawl.start()
    honest = []

    def lease(name: str) -> list[dict[str, object]]:
        status, told = ask(host, TOKENS[name], "POST", "/v1/leases", {"count": 3, "wait": 5})
        return told["leases"] if status == 200 else []

    wait_for(lambda: honest.extend(lease("one")) or honest, 60)
    mine = str(honest[0]["id"])
    path = f"/v1/leases/{mine}/result"
    assert ask(host, TOKENS["liar"], "POST", path, RESULT)[0] == 410
    assert ask(host, TOKENS["liar"], "POST", "/v1/heartbeats", {"leases": [mine]})[1]["leases"] == {}
    assert ask(host, TOKENS["liar"], "DELETE", f"/v1/leases/{mine}")[0] == 204
    assert ask(host, "x" * 30, "POST", path, RESULT)[0] == 401
    page = {"links": [["u"]]}
    for wrong in ({"status": 99}, {"status": "200"}, {**RESULT, "page": page}, [], "x", {**RESULT, "x": 1}):
        status, told = ask(host, TOKENS["one"], "POST", path, wrong)
        assert (status, told["title"]) == (400, "Bad Request")
        assert told["field"], told
    links = [["http://out.example/", "a", "navigation", False, ""], ["nonsense", "a", "navigation", False, ""]]
    told = {**RESULT, "headers": [["content-type", "text/html"]], "page": {"links": links, "title": "made up"}}
    first = ask(host, TOKENS["one"], "POST", path, told)
    assert first[0] == 200, first
    assert ask(host, TOKENS["one"], "POST", path, told) == first, "told twice, it is settled once"
    status, checked = ask(host, TOKENS["one"], "POST", "/v1/discover", {"urls": ["junk", web.seeds[0], "ftp://a/"]})
    assert status == 200
    assert [row["state"] for row in checked["urls"]][0::2] == ["bad_url", "not_http"]
    assert checked["urls"][1]["state"] == "known"
    assert crawl.is_running()
    crawl.stop()
    code, _, told_at_end = crawl.end(60)
    assert code in (0, 3), told_at_end


def test_a_node_that_was_killed_lets_leases_end_before_it_asks_any_host(web: Web, crawl: Crawl, port: int) -> None:
    host = f"127.0.0.1:{port}"
    crawl.start()
    held: list[dict[str, object]] = []

    def lease() -> bool:
        status, told = ask(host, TOKENS["one"], "POST", "/v1/leases", {"count": 20, "wait": 5})
        held.extend(told["leases"] if status == 200 else [])
        return bool(held)

    wait_for(lease, 60)
    lent = time.time()  # or a moment before: the worker, which never heard of a kill, may ask until then and GRACE
    crawl.kill_nodes()
    hosts = {str(one["host"]) for one in held}
    wait_for(lambda: any(host_of(one.url) in hosts and one.began_wall > lent for one in web.requests()), 60)
    first = min(one.began_wall for one in web.requests() if host_of(one.url) in hosts and one.began_wall > lent)
    assert first - lent > GRACE - 1.0, "its worker may have been at it"
    id_ = held[0]["id"]
    assert ask(host, TOKENS["one"], "POST", f"/v1/leases/{id_}/result", RESULT)[0] == 410, "it is another node by now"


def test_the_address_guard_of_a_worker_is_its_own(tmp_path: Path, web: Web, crawl: Crawl, port: int) -> None:
    worker = Worker(tmp_path, web, "one", f"http://127.0.0.1:{port}")
    worker._command = [text for text in worker._command if text not in ("--allow-net", "127.20.0.0/16")]
    with contextlib.closing(worker):
        crawl.start()
        worker.start()
        wait_for(lambda: len(web.requests()) > 60, 60, worker.told)
        crawl.stop()
        crawl.end(60)
        assert worker.leave() == 0
    assert urls_in(worker.out) == set(), "it connected to a network that it was not allowed"
    assert web.findings().too_early(DELAY, STALL) == {}


def test_a_token_that_is_not_known_ends_with_2(tmp_path: Path, web: Web, crawl: Crawl, port: int) -> None:
    worker = Worker(tmp_path, web, "one", f"http://127.0.0.1:{port}")
    token_file(tmp_path, "one").write_text("one " + "z" * 30, encoding="utf-8")
    with contextlib.closing(worker):
        crawl.start()
        worker.start()
        assert worker.process is not None
        assert worker.process.wait(60) == 2
        assert "refuses us (401" in worker.told()
        assert "z" * 30 not in worker.told()


class ApiFleet(Fleet):
    """A fleet whose nodes have an API, each at a port of its own."""

    def __init__(self, folder: Path, bootstrap: str, name: str, shards: int) -> None:
        super().__init__(folder, bootstrap, name, shards)
        self.ports = dict(zip("ab", free_ports(2), strict=True))

    def start(self, *names: str) -> None:
        for name in names:
            line = [sys.executable, "-m", "skitter", "fleet", "node", "--fleet", str(self.file), "--name", name]
            api = ["--api-port", str(self.ports[name]), "--api-tokens", str(token_file(self.folder, *TOKENS))]
            with (self.folder / f"{name}.log").open("ab") as log:
                self._said[name] = log.tell()
                command = [*line, "--directory", str(self.directory(name)), *api]
                self.nodes[name] = subprocess.Popen(command, stdout=log, stderr=log)


def test_in_a_fleet_a_node_is_killed_while_a_worker_has_its_leases(tmp_path: Path, broker: Broker, web: Web) -> None:
    with contextlib.closing(ApiFleet(tmp_path, broker.bootstrap, f"worked{time.time_ns()}", 4)) as fleet:
        fleet.init(web, DELAY)
        fleet.start("a", "b")
        worker = Worker(tmp_path, web, "one", *(f"http://127.0.0.1:{port}" for port in fleet.ports.values()))
        with contextlib.closing(worker):
            worker.start()
            wait_for(lambda: len(web.requests()) > 60, 60, fleet.logs)
            fleet.kill("a", disk=True)
            wait_for(lambda: not web.findings().missed(web.truth()), 90, fleet.logs)
            assert fleet.leave("b") == 0, fleet.logs()
            assert worker.leave() == 0, worker.told()
    findings = web.findings()
    assert {host: visits.most_at_once for host, visits in findings.hosts.items() if visits.most_at_once > 1} == {}
    assert findings.too_early(DELAY, STALL) == {}
    assert len(urls_in(worker.out)) > 10
