"""The dashboard's pages and buttons: who asks, what they see, and every mistake as a page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from skitter.api.dashboard.acting import ACTS, act_of
from skitter.api.dashboard.assets import assets, mark_of
from skitter.api.dashboard.frame import Frame
from skitter.api.dashboard.pages.done import done_page, done_part, sure_page, trouble_page, wrong_part
from skitter.api.dashboard.pages.fleet import fleet_page
from skitter.api.dashboard.pages.freshness import freshness_page
from skitter.api.dashboard.pages.host import host_page, unknown_host
from skitter.api.dashboard.pages.hosts import hosts_page
from skitter.api.dashboard.pages.judgement import judgement_page
from skitter.api.dashboard.pages.log import log_page
from skitter.api.dashboard.pages.now import now_page
from skitter.api.dashboard.pages.plan import FIELDS, plan_page
from skitter.api.dashboard.pages.render import render_page
from skitter.api.dashboard.pages.url import no_url, story_page, url_start, urls_found, visits_page, visits_part
from skitter.api.gate import SEALED, Gate
from skitter.api.limits import Limits
from skitter.api.looking import HostsQuery
from skitter.api.problems import Problem, converted
from skitter.api.tokens import Role, Who
from skitter.capacity.file import PlanFile, checked
from skitter.capacity.need import Need
from skitter.capacity.reckon import reckon
from skitter.console.port import Busy, Console
from skitter.errors import OperatorError, SkitterError
from skitter.messages import Reason

SPANS = (("15 min", 900.0), ("hour", 3600.0), ("6 h", 21600.0), ("day", 86400.0))
LONGEST_FORM = 20_000
KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}
PART = "x-part"
"""A header that a script of ours sends if it wants a piece of a page, and no whole one."""

Show: TypeAlias = Callable[[Request, Frame], Awaitable[str]]


def dashboard_routes(console: Console, gate: Gate, limits: Limits | None = None) -> list[BaseRoute]:
    """Returns the pages of the dashboard."""
    dashboard = _Dashboard(console, gate, limits or Limits())
    pages: dict[str, tuple[str, Show]] = {
        "/": ("/", dashboard.now),
        "/hosts": ("/hosts", dashboard.hosts),
        "/hosts/{host}": ("/hosts", dashboard.host),
        "/url": ("/url", dashboard.url),
        "/url/visits": ("/url", dashboard.visits),
        "/judgement": ("/judgement", dashboard.judgement),
        "/freshness": ("/freshness", dashboard.freshness),
        "/fleet": ("/fleet", dashboard.fleet),
        "/render": ("/render", dashboard.render),
        "/plan": ("/plan", dashboard.plan),
        "/log": ("/log", dashboard.log),
    }
    return [
        *(Route(path, dashboard.page(place, show), methods=["GET"]) for path, (place, show) in pages.items()),
        Route("/do/{act}", dashboard.page("/", dashboard.do, Role.OPERATOR), methods=["POST"]),
        Route("/static/{name}", dashboard.asset, methods=["GET"]),
    ]


class _Dashboard:
    """Asks the console what a page needs, and has the page made."""

    def __init__(self, console: Console, gate: Gate, limits: Limits) -> None:
        self._console, self._gate, self._limits = console, gate, limits
        self._assets = assets()
        self._mark = mark_of(self._assets)

    def page(self, place: str, show: Show, role: Role = Role.READ) -> Callable[[Request], Awaitable[Response]]:
        """Returns what answers with a page: the one to sign in if nobody is, and why if it can't be shown."""

        async def answer(request: Request) -> Response:
            try:
                who = self._gate.let_in(request, role)
                self._limits.take(who, is_write=role is Role.OPERATOR)
            except Problem as problem:
                if problem.status != 401:
                    raise
                return RedirectResponse("/login", 303, SEALED)
            frame = await self._frame(who, place)
            try:
                return HTMLResponse(await show(request, frame), headers=SEALED)
            except Busy as busy:
                return _trouble(frame, 503, "Too many look at once", str(busy))
            except (OperatorError, Problem) as wrong:
                return _trouble(frame, 400, "That can't be", str(wrong))
            except SkitterError as error:
                return _trouble(frame, 500, "That went wrong", str(error))

        return answer

    async def asset(self, request: Request) -> Response:
        """Returns a file beside the pages. They hold no secret: the page to sign in has them too."""
        self._gate.require_ours(request)
        found = self._assets.get(request.path_params["name"])
        if found is None:
            raise Problem(404, "There is no such file.", field="path")
        return Response(found.content, headers={**SEALED, **KEPT}, media_type=found.media)

    async def now(self, request: Request, frame: Frame) -> str:
        """See `pages.now`."""
        asked = request.query_params.get("span", "")
        chosen = next((seconds for _, seconds in SPANS if f"{seconds:.0f}" == asked), 3600.0)
        return now_page(frame, await self._console.series(chosen), SPANS, chosen)

    async def hosts(self, request: Request, frame: Frame) -> str:
        """See `pages.hosts`."""
        asked = converted(request.query_params, HostsQuery)
        is_counted = frame.overview.as_of is not None  # else the first table would have to be waited for
        is_down = asked.order == "desc"
        look = self._console.hosts(asked.search, asked.sort, descending=is_down, cursor=asked.cursor, limit=asked.limit)
        found = await look if is_counted else look.close()
        return hosts_page(frame, found, asked, await self._console.series())

    async def host(self, request: Request, frame: Frame) -> str:
        """See `pages.host`."""
        name = request.path_params["host"]
        found = await self._console.host(name)
        return unknown_host(frame, name) if found is None else host_page(frame, found)

    async def url(self, request: Request, frame: Frame) -> str:
        """See `pages.url`."""
        query = request.query_params
        url, prefix = query.get("url", "").strip(), query.get("prefix", "").strip()
        if query.get("how") == "prefix":
            prefix = url
        if prefix:
            return urls_found(frame, prefix, await self._console.urls(prefix, query.get("cursor", "")))
        if not url:
            return url_start(frame)
        story = await self._console.why(url)
        return no_url(frame, url, story) if isinstance(story, Reason) else story_page(frame, story)

    async def visits(self, request: Request, frame: Frame) -> str:
        """See `pages.url`."""
        url = request.query_params.get("url", "")
        found = await self._console.history(url)
        if isinstance(found, Reason):
            return no_url(frame, url, found)
        part = visits_part(found, await self._console.readings(url), frame.now)
        return part if PART in request.headers else visits_page(frame, url, part)

    async def judgement(self, _: Request, frame: Frame) -> str:
        """See `pages.judgement`."""
        review = await self._console.review() if frame.overview.as_of is not None else None
        return judgement_page(frame, review, await self._console.series())

    async def freshness(self, _: Request, frame: Frame) -> str:
        """See `pages.freshness`."""
        return freshness_page(frame, await self._console.series())

    async def fleet(self, _: Request, frame: Frame) -> str:
        """See `pages.fleet`."""
        return fleet_page(frame)

    async def render(self, _: Request, frame: Frame) -> str:
        """See `pages.render`."""
        return render_page(frame, await self._console.series())

    async def plan(self, request: Request, frame: Frame) -> str:
        """See `pages.plan`."""
        given = {name: text for name, _ in FIELDS if (text := request.query_params.get(name, "").strip())}
        try:
            plan = checked(PlanFile(need=converted(given, Need)))
        except (OperatorError, Problem) as wrong:
            return plan_page(frame, Need(), None, given, str(wrong))
        return plan_page(frame, plan.need, reckon(plan.need, plan.costs, plan.prices, plan.machine), given)

    async def log(self, _: Request, frame: Frame) -> str:
        """See `pages.log`."""
        console = self._console
        return log_page(frame, await console.changes(), await console.complaints(), await console.settings())

    async def do(self, request: Request, frame: Frame) -> str:
        """Does what a button says, if who pressed it is sure; returns what was done, or why nothing was."""
        name = request.path_params["act"]
        form = await _form(request)
        if name not in ACTS:
            raise Problem(404, "There is nothing of that name that can be done.", field="path")
        if form.get("sure") != "yes":
            return sure_page(frame, name, form)
        try:
            part = done_part(await self._console.act(frame.who.name, act_of(name, form)))
        except (OperatorError, Problem) as wrong:
            part = wrong_part(str(wrong))
        return part if PART in request.headers else done_page(frame, part, form.get("back", "/"))

    async def _frame(self, who: Who, place: str) -> Frame:
        return Frame(await self._console.overview(), who, place, self._mark)


def _trouble(frame: Frame, status: int, title: str, words: str) -> Response:
    return HTMLResponse(trouble_page(frame, title, words), status, SEALED)


async def _form(request: Request) -> dict[str, str]:
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > LONGEST_FORM:
            raise Problem(413, "The form is too long.", field="body", right=f"{LONGEST_FORM} bytes at the most")
    return dict(parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True))
