"""`skitter demo --fleet`: a broker, an S3 server, three nodes, and one of them killed with its disk in the middle."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from skitter.audit.audit import audit
from skitter.cli.demo_archive import bring_archive
from skitter.cli.demo_story import Killed, Story, lines_of, told
from skitter.cli.demo_web import Web, web_of
from skitter.cli.say import say
from skitter.errors import MachineError, OperatorError
from skitter.servers.child import mortal
from skitter.simweb.settings import FLEET

NODES = ("a", "b", "c")
VICTIM = "b"
SHARDS = 12
DELAY = 1.0
KILL_AFTER = 8.0
"""Seconds after the first request by which every node has shards and work."""
QUIET = 6.0
"""Seconds without a request after which there is nothing left to do: no host here has a longer delay."""
LONGEST = 110.0
"""Seconds that the crawl may take. The whole is over in less than three minutes."""
FILE = """\
[fleet]
name = "demo"
shards = {shards}
replication = 1
checkpoints = "s3://{bucket}/checkpoints"
checkpoint_seconds = 5

[kafka]
"bootstrap.servers" = "{bootstrap}"
"""
ARCHIVE = "s3://{bucket}/archive"
OK, FAILED, LEFT = 0, 1, 3


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Returns where downloads are kept."""
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "skitter"


def run_fleet_demo(directory: Path, *, quiet: bool) -> tuple[Story, int]:
    """Returns what happened, and the exit code."""
    began = time.monotonic()

    def tell(text: str) -> None:
        if not quiet:
            say(f"skitter: {time.monotonic() - began:5.1f} s  {text}", err=True)

    directory.mkdir(parents=True, exist_ok=True)
    tell(f"a fleet of {len(NODES)} nodes on this machine; what it keeps goes to {directory}")
    with (
        tempfile.TemporaryDirectory(prefix="skitter-servers-") as made,
        _servers(Path(made), tell) as (kafka, s3),
        web_of(directory, "fleet") as web,
        contextlib.closing(_Fleet(directory, kafka, s3, web)) as fleet,
    ):
        tell(f"a web of {FLEET.hosts} hosts; one request a second to a host at the most")
        fleet.make()
        killed, is_done = fleet.crawl(tell)
        tell("reading the archive in S3")
        bring_archive(ARCHIVE.format(bucket=fleet.bucket), s3, directory / "archive")
        proof = audit(directory / "archive")
        story = told(web, fleet.seeds, DELAY, killed, time.monotonic() - began, proof)
    if not quiet:
        for line in lines_of(story, directory):
            say(line, err=True)
    return story, (OK if story.is_well else FAILED) if is_done else LEFT


@contextlib.contextmanager
def _servers(folder: Path, tell: Callable[[str], None]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yields where the broker is, and what the environment says of the S3 server. Both end with us."""
    try:
        import confluent_kafka  # noqa: F401
        import obstore  # noqa: F401
    except ImportError:
        raise OperatorError("skitter demo --fleet", "", "needs what `pip install 'skitter[fleet]'` installs") from None
    from skitter.servers.child import Unavailable
    from skitter.servers.kafka import KafkaServer
    from skitter.servers.s3 import S3Server

    cache, places = cache_folder(os.environ), [folder / "s3", folder / "kafka"]
    for place in places:
        place.mkdir()
    try:
        s3, kafka = S3Server(places[0], cache, tell), KafkaServer(places[1], cache, tell)
    except Unavailable as why:
        raise OperatorError("skitter demo --fleet", "", f"a server that it needs can't be had: {why}") from None
    with contextlib.ExitStack() as running:
        for name, server in (("S3 server (SeaweedFS)", s3), ("Kafka broker", kafka)):
            running.callback(server.kill)
            try:
                server.start()
            except RuntimeError as error:
                raise MachineError(f"the {name} did not start", str(folder), str(error)) from None
            tell(f"{name} at 127.0.0.1:{server.port}")
        yield kafka.bootstrap, s3.environment


class _Fleet:
    """The nodes, in processes of their own that end with us."""

    def __init__(self, directory: Path, bootstrap: str, environment: Mapping[str, str], web: Web) -> None:
        from skitter.servers.s3 import BUCKET

        self.bucket = BUCKET
        self._directory, self._web = directory, web
        self._environment = {**os.environ, **environment}
        self._file = directory / "fleet.toml"
        self._file.write_text(FILE.format(shards=SHARDS, bucket=self.bucket, bootstrap=bootstrap), encoding="utf-8")
        self._nodes: dict[str, subprocess.Popen[bytes]] = {}
        self.seeds = web.world.homes()

    def make(self) -> None:
        """Makes the fleet."""
        settings = {
            "dns.hosts_file": self._web.hosts_file.absolute(),
            "dns.allow_nets": FLEET.network,
            "scope.reach": "any",
            "scope.suffixes": FLEET.domain,  # its hosts stand for domains: there is work for every node
            "politeness.delay": DELAY,
            "politeness.address_rate": 1000,
            "node.stop_seconds": 2,
            "bucket.address": ARCHIVE.format(bucket=self.bucket),
            "bucket.roll_seconds": 5,
        }
        pairs = [text for key, value in settings.items() for text in ("--set", f"{key}={value}")]
        done = subprocess.run(  # noqa: S603
            [*self._command("init"), *self.seeds, *pairs],
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise MachineError("the fleet could not be made", str(self._file), done.stderr.strip())

    def crawl(self, tell: Callable[[str], None]) -> tuple[Killed, bool]:
        """Returns what was killed, and whether nothing was left to do in the end."""
        for name in NODES:
            self._start(name)
        tell(f"nodes {', '.join(NODES)} started")
        self._wait(lambda: self._web.was_asked(), LONGEST)
        first = time.monotonic()
        self._wait(lambda: time.monotonic() - first > KILL_AFTER and self._all_hold(), LONGEST)
        before = self._owners()
        killed = Killed(time.time(), VICTIM, tuple(shard for shard, owner in before.items() if owner == VICTIM))
        self._kill()
        tell(f"node {VICTIM} killed with its disk: {len(killed.shards)} of {SHARDS} shards have no owner")
        taken = self._wait(lambda: self._all_taken(killed), LONGEST)
        killed = killed.with_heirs(self._owners(), self._living())
        if taken:
            tell(f"nodes {' and '.join(sorted(set(killed.heirs.values())))} have them all")
        is_done = self._wait(lambda: self._web.seconds_quiet() > QUIET, LONGEST - (time.monotonic() - first))
        for name in NODES:
            self._nodes[name].terminate()
        for name in NODES:
            self._nodes[name].wait(60)
        tell("nodes stopped in order")
        return killed, is_done

    def close(self) -> None:
        """Ends what is left of it."""
        for process in self._nodes.values():
            process.kill()
            process.wait()

    def _command(self, name: str) -> list[str]:
        return [sys.executable, "-m", "skitter", "fleet", name, "--fleet", str(self._file)]

    def _start(self, name: str) -> None:
        place = self._directory / "nodes" / name
        with (self._directory / f"{name}.log").open("ab") as log:
            self._nodes[name] = subprocess.Popen(  # noqa: S603
                mortal([*self._command("node"), "--name", name, "--directory", str(place)]),
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for us, who end it
            )

    def _kill(self) -> None:
        self._nodes[VICTIM].kill()
        self._nodes[VICTIM].wait()
        shutil.rmtree(self._directory / "nodes" / VICTIM)

    def _owners(self) -> dict[int, str]:
        """Returns who holds which shard, as far as nodes have said so of late."""
        from skitter.fleet.file import read_fleet
        from skitter.fleet.standing import fleet_standing

        return {one.shard: one.owner for one in fleet_standing(read_fleet(self._file), time.time()).shards}

    def _all_hold(self) -> bool:
        owners = self._owners()
        return len(owners) == SHARDS and set(owners.values()) == set(NODES)

    def _all_taken(self, killed: Killed) -> bool:
        owners = self._owners()
        return all(owners.get(shard, VICTIM) != VICTIM for shard in killed.shards)

    def _living(self) -> Path:
        """Returns the folder of a node that lives."""
        return self._directory / "nodes" / next(name for name in NODES if name != VICTIM)

    def _wait(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Returns whether it came to hold. MachineError if a node ends by itself."""
        until = time.monotonic() + seconds
        while not holds():
            for name, process in self._nodes.items():
                if process.poll() is not None and name != VICTIM:
                    log = self._directory / f"{name}.log"
                    raise MachineError(f"node {name} ended", str(log), log.read_text(errors="replace")[-500:])
            if time.monotonic() > until:
                return False
            time.sleep(0.5)
        return True
