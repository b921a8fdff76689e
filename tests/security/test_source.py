"""What the source never does: run text as code, unpickle, call a shell, or connect anywhere but past the guard."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "skitter"

BANNED_MODULES = {
    **dict.fromkeys(("pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"), "reading it can run code"),
    **dict.fromkeys(("yaml", "xml", "lxml", "ctypes", "cffi", "code", "runpy"), "not needed, and dangerous on the web"),
    **dict.fromkeys(("urllib.request", "http.client", "requests", "httpx", "aiohttp", "ftplib"), "goes past the guard"),
    **dict.fromkeys(("telnetlib", "smtplib", "xmlrpc", "socketserver", "http.server"), "goes past the guard"),
}
# A name server that the operator has named, over HTTPS: as those that c-ares asks, it is no address from the web.
# And the API that a worker was told to work for, and the webhook that rows are to go to. pdfium is called by ctypes, in
# a process that has nothing to lose; inotify is asked for by ctypes, which Python has no other way to: no bytes go in.
ALLOWED_MODULES = {
    "dns/https.py": {"http.client"},
    "worker/client.py": {"http.client"},
    "sinks/webhook.py": {"http.client"},
    "content/pdf/reading.py": {"ctypes"},
    "store/compact/quiet.py": {"ctypes"},
}
BANNED_CALLS = {
    **dict.fromkeys(("eval", "exec", "compile", "__import__", "breakpoint", "input"), "runs text as code, or waits"),
    **dict.fromkeys(("os.system", "os.popen", "os.spawnl", "os.execv", "os.startfile", "pty.spawn"), "a shell"),
    **dict.fromkeys(("subprocess.getoutput", "subprocess.getstatusoutput"), "a shell"),
    **dict.fromkeys(("create_subprocess_shell",), "a shell"),
    **dict.fromkeys(("extractall", "extract", "unpack_archive"), "writes where the archive says"),
    **dict.fromkeys(("mktemp", "tmpnam"), "a name that someone else can take"),
    **dict.fromkeys(("_create_unverified_context", "wrap_socket"), "TLS without a look at the certificate"),
}
# Where connections may be opened, and how: `Dialler.dial` asks the guard first, the bus speaks to this machine only,
# c-ares asks name servers, and the simulated web is no part of a crawl. Servers that we started are asked whether they
# are there, at loopback.
OPENING = {
    "create_connection": {"fetch/dial.py", "servers/child.py"},
    "open_unix_connection": {"bus/local.py", "bus/talk.py"},
    "DNSResolver": {"dns/plain.py"},
    **{
        name: set()
        for name in ("open_connection", "sock_connect", "connect_ex", "create_unix_connection", "getaddrinfo")
    },
}
# `sqlite3.connect` opens a file, and psycopg's the database that the operator named.
CONNECT = {"api/repeats.py", "audit/sorting.py", "dns/shared.py", "store/bodies/heads.py", "sinks/postgres/sink.py"}


def files() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if "simweb" not in path.parts)


def faults(source: str, name: str) -> Iterator[str]:
    """Yields what is wrong with the source of the module `name`."""
    for node in ast.walk(ast.parse(source)):
        for module in imported(node):
            if module in ALLOWED_MODULES.get(name, ()):
                continue
            if why := next((why for banned, why in BANNED_MODULES.items() if within(module, banned)), None):
                yield f"{name}:{node.lineno} imports {module}: {why}"  # type: ignore[attr-defined]
        if isinstance(node, ast.Call):
            yield from (f"{name}:{node.lineno} {fault}" for fault in of_call(node, name))


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def within(module: str, banned: str) -> bool:
    return module == banned or module.startswith(f"{banned}.")


def of_call(call: ast.Call, name: str) -> Iterator[str]:
    called = ast.unparse(call.func)
    last = called.rpartition(".")[2]
    is_builtin = isinstance(call.func, ast.Name)
    for banned, why in BANNED_CALLS.items():
        plain = banned in ("eval", "exec", "compile", "__import__", "breakpoint", "input")
        if (called == banned if plain or "." in banned else last == banned) and (is_builtin or not plain):
            yield f"calls {called}: {why}"
    if any(word.arg == "shell" for word in call.keywords):
        yield f"calls {called} with shell="
    if last in OPENING and name not in OPENING[last]:
        yield f"calls {called}: only {OPENING[last] or 'nobody'} may"
    if last == "connect" and name not in CONNECT:
        yield f"calls {called}: only the dialler opens connections"
    if any(word.arg == "verify_mode" for word in call.keywords):
        yield f"calls {called} with verify_mode="


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_source_does_nothing_of_the_kind(path: Path) -> None:
    assert not list(faults(path.read_text(encoding="utf-8"), str(path.relative_to(SOURCE))))


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "import yaml",
        "from xml.etree import ElementTree",
        "import urllib.request",
        "from urllib import request",
        "eval('1')",
        "exec(text)",
        "compile(text, '', 'exec')",
        "os.system('ls')",
        "subprocess.run('ls', shell=True)",
        "await asyncio.create_subprocess_shell('ls')",
        "tarfile.open(name).extractall()",
        "tempfile.mktemp()",
        "await asyncio.open_connection(host, 80)",
        "await loop.create_connection(make, host, 80)",
        "socket.create_connection((host, 80))",
        "sock.connect((host, 80))",
        "ssl._create_unverified_context()",
    ],
)
def test_each_kind_would_be_seen(source: str) -> None:
    assert list(faults(source, "some/where.py"))


def test_certificates_are_looked_at_but_for_one_place() -> None:
    """`fetch.insecure` is the one switch, and what it turns off is in one function."""
    places = [path for path in files() if "CERT_NONE" in path.read_text(encoding="utf-8")]
    assert [str(path.relative_to(SOURCE)) for path in places] == ["fetch/tls.py"]


def test_processes_are_only_ourselves() -> None:
    """The only programs that are started are our own modules, by the Python that runs us.

    The demo of a fleet starts servers too, and its nodes by their command line: nothing that a crawl does comes there.
    And `render` starts a browser, by a command that `render/command.py` makes of settings alone.
    """
    starting = {
        path: text
        for path in files()
        if "subprocess" in (text := path.read_text(encoding="utf-8"))
        and path.parent.name not in ("servers", "render")
        and path.name != "demo_fleet.py"
    }
    assert {path.name for path in starting} == {
        "demo_web.py",
        "real.py",
        "many.py",
        "beside.py",
        "apart.py",
        "sinking.py",
        "desk.py",
    }
    for text in starting.values():
        started = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and _starts(node)]
        assert len(started) == 1
        words = ast.unparse(started[0]) if "command" not in ast.unparse(started[0].args[0]) else text
        assert re.search(r"sys\.executable,\s*['\"]-m['\"],\s*['\"]skitter\.", words)


def test_browsers_are_started_in_two_places() -> None:
    """One asks whether there are namespaces, the other starts a browser; no URL is a word there."""
    starting = {
        path.name for path in files() if path.parent.name == "render" and "subprocess" in path.read_text("utf-8")
    }
    assert starting == {"walls.py", "process.py"}
    for name in ("walls.py", "process.py", "command.py"):
        assert "url" not in (SOURCE / "render" / name).read_text(encoding="utf-8").lower()


def test_servers_are_for_the_demo_alone() -> None:
    users = {path.name for path in files() if "skitter.servers" in path.read_text(encoding="utf-8")}
    assert users <= {"demo_fleet.py", "bringing.py", "browser.py", "debian.py", "kafka.py", "s3.py"}


def _starts(call: ast.Call) -> bool:
    return ast.unparse(call.func).endswith(("create_subprocess_exec", "Popen", "subprocess.run", "check_output"))
