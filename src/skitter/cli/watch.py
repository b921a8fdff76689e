"""Runs a crawl under the operator's eyes: the right view for where we write, and what signals mean."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from skitter.cli.lines import Lines, Silence
from skitter.cli.say import say
from skitter.cli.summary import as_json, summary
from skitter.clock import steady_clock
from skitter.config.load import Loaded
from skitter.errors import SkitterError
from skitter.inspection.standing import Standing
from skitter.supervisor.job import Job
from skitter.supervisor.run import Finished, Run

if TYPE_CHECKING:
    from skitter.api.server import ApiPlace
    from skitter.cli.live import LiveView

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

AnyView: TypeAlias = "Lines | LiveView | Silence"


def watched(
    job: Job,
    settings_now: Callable[[], Loaded] | None = None,
    *,
    quiet: bool,
    metrics_port: int | None = None,
    api: ApiPlace | None = None,
    on_api: Callable[[str, Path], None] | None = None,
) -> Finished:
    """Runs a crawl to its end. Progress goes to standard error, so that standard output is the result's.

    `on_api` is told where the API can be asked, and the file of who may, as soon as it can.

    A service reads `settings_now` again on SIGHUP; for all others it is a stop, as when their terminal is closed.
    """
    with _view(job, quiet=quiet) as view:
        return asyncio.run(_run(job, view, metrics_port, settings_now if job.is_service else None, api, on_api))


def tell(
    finished: Finished, job: Job, command: str | None, *, quiet: bool, as_object: bool, is_apart: bool | None = None
) -> None:
    """Prints the end of a crawl: for people, and as the last line of standard output for programs.

    What is for people goes to standard error if it is to be apart: standard output is then for programs.
    """
    waits = _waits(finished, job)
    if not quiet:
        archive = f"{job.settings.bucket.address or job.directory}/warc"
        say(summary(finished, archive, command, waits), err=as_object if is_apart is None else is_apart)
    if as_object:
        say(json.dumps(as_json(finished, job.directory, command, waits)))


def _waits(finished: Finished, job: Job) -> dict[Standing, int]:
    """Returns what the URLs that are left wait for, if that is why the crawl ended: else it is their turn, or us."""
    if finished.ending.why != "waiting":
        return {}
    from skitter.inspection.folder import Folder  # as below: what few crawls need, none waits for
    from skitter.inspection.waiting import waiting

    with Folder(job.directory) as folder:
        return waiting(folder, finished.snapshot.at)


def _take_settings(run: Run, view: AnyView, settings_now: Callable[[], Loaded]) -> None:
    try:
        run.take_settings(settings_now().settings)
    except SkitterError as error:
        view.note(f"settings: none are taken, since {error}")


@contextlib.contextmanager
def _view(job: Job, *, quiet: bool) -> Iterator[AnyView]:
    if quiet:
        yield Silence()
    elif sys.stderr.isatty():
        from rich.console import Console

        from skitter.cli.live import LiveView

        with LiveView(Console(stderr=True), str(job.directory), job.max_pages, job.max_seconds) as live:
            yield live
    else:
        yield Lines(sys.stderr, job.max_pages, job.max_seconds)


async def _run(
    job: Job,
    view: AnyView,
    metrics_port: int | None,
    settings_now: Callable[[], Loaded] | None,
    api: ApiPlace | None,
    on_api: Callable[[str, Path], None] | None,
) -> Finished:
    run = Run(job, view, steady_clock())
    loop = asyncio.get_running_loop()

    def stop() -> None:
        view.stopping()
        run.stop()

    for sign in STOPS:
        loop.add_signal_handler(sign, stop)
    if settings_now is not None:
        loop.add_signal_handler(signal.SIGHUP, _take_settings, run, view, settings_now)
    async with contextlib.AsyncExitStack() as stack:
        if metrics_port is not None:
            from skitter.folder.jsonlines import COMPLAINTS, lines_in
            from skitter.metrics.server import ADDRESS, MetricsServer

            complaints = job.directory / COMPLAINTS
            counted = MetricsServer(metrics_port, run.reports, run.sinks, lambda: lines_in(complaints))
            server = await stack.enter_async_context(counted)
            view.note(f"metrics are at http://{ADDRESS}:{server.port}/metrics")
        if api is not None:
            from skitter.api.beside import api_beside

            beside = api_beside(api, job.directory, job.nodes, run.note)
            where, tokens = await stack.enter_async_context(beside)
            view.note(f"the API is at {where}; who may ask is in {tokens}")
            if on_api is not None:
                on_api(where, tokens)
        return await run.run()
