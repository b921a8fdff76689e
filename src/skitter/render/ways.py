"""Ways out of a browser, each a few words of script, for the page that tries them all. Pure.

`to(name)` is the canary's URL for a way, `own(name)` one of the page's own host; `add(html)` puts HTML into the page,
`make(tag, attributes)` an element. Whatever goes to the canary and arrives there, has found a hole in the walls.
"""

from __future__ import annotations

import msgspec

WAYS: dict[str, str] = {
    # elements
    "img": "add(`<img src='${to('img')}'>`)",
    "srcset": "add(`<img srcset='${to('srcset')} 2x'>`)",
    "picture": "add(`<picture><source srcset='${to('picture')}'><img></picture>`)",
    "input": "add(`<input type=image src='${to('input')}'>`)",
    "video": "add(`<video autoplay src='${to('video')}' poster='${to('poster')}'></video>`)",
    "audio": "new Audio(to('audio')).play().catch(() => 0)",
    "track": "add(`<video src='${to('track')}'><track default src='${to('track2')}'></video>`)",
    "object": "add(`<object data='${to('object')}'></object>`)",
    "embed": "add(`<embed src='${to('embed')}'>`)",
    "iframe": "add(`<iframe src='${to('iframe')}'></iframe>`)",
    "srcdoc": "add(`<iframe srcdoc=\"<img src='${to('srcdoc')}'>\"></iframe>`)",
    "refresh": "add(`<iframe srcdoc=\"<meta http-equiv=refresh content='0;url=${to('refresh')}'>\"></iframe>`)",
    "svg": "add(`<svg><image href='${to('svg')}'/><use href='${to('use')}#a'/></svg>`)",
    "background": "add(`<p style=\"background: url('${to('background')}')\">p</p>`)",
    "import": "add(`<style>@import url('${to('import')}');</style>`)",
    "font": "add(`<style>@font-face{font-family:f;src:url('${to('font')}')}p{font-family:f}</style><p>p</p>`)",
    "script": "make('script', {src: to('script')})",
    "module": "make('script', {type: 'module', src: to('module')})",
    "dynamic": "import(to('dynamic')).catch(() => 0)",
    # hints
    "stylesheet": "make('link', {rel: 'stylesheet', href: to('stylesheet')})",
    "preload": "for (const as of ['script', 'fetch', 'font', 'image', 'style']) "
    "make('link', {rel: 'preload', as, href: to('preload') + as})",
    "modulepreload": "make('link', {rel: 'modulepreload', href: to('modulepreload')})",
    "prefetch": "make('link', {rel: 'prefetch', href: to('prefetch')})",
    "prerender": "make('link', {rel: 'prerender', href: to('prerender')})",
    "preconnect": "make('link', {rel: 'preconnect', href: to('preconnect')})",
    "dns": "make('link', {rel: 'dns-prefetch', href: to('dns')})",
    "icon": "make('link', {rel: 'icon', href: to('icon')})",
    "manifest": "make('link', {rel: 'manifest', href: to('manifest')})",
    "speculation": "make('script', {type: 'speculationrules', textContent: JSON.stringify({"
    "prefetch: [{urls: [to('speculation')], eagerness: 'immediate'}], "
    "prerender: [{urls: [to('speculation2'), own('next')], eagerness: 'immediate'}]})})",
    # requests
    "fetch": "fetch(to('fetch')).catch(() => 0)",
    "opaque": "fetch(to('opaque'), {mode: 'no-cors', method: 'POST', body: 'x'}).catch(() => 0)",
    "preflight": "fetch(to('preflight'), {headers: {'X-A': 'b'}}).catch(() => 0)",
    "keepalive": "fetch(to('keepalive'), {keepalive: true, mode: 'no-cors'}).catch(() => 0)",
    "later": "fetchLater(to('later'), {activateAfter: 0})",
    "xhr": "{ const x = new XMLHttpRequest(); x.open('GET', to('xhr')); x.send(); }",
    "sync": "{ const x = new XMLHttpRequest(); x.open('GET', to('sync'), false); x.send(); }",
    "beacon": "navigator.sendBeacon(to('beacon'), 'x')",
    "events": "new EventSource(to('events'))",
    "redirect": "fetch(own('redirect')).catch(() => 0)",
    # other protocols
    "socket": "new WebSocket(to('socket').replace('http', 'ws'))",
    "secure": "new WebSocket(to('secure').replace('http', 'wss'))",
    "stream": "new WebSocketStream(to('stream').replace('http', 'ws'))",
    "transport": "new WebTransport(to('transport').replace('http:', 'https:')).closed.catch(() => 0)",
    "stun": "{ const p = new RTCPeerConnection({iceServers: [{urls: `stun:${canary}`}, "
    "{urls: `turn:${canary}?transport=tcp`, username: 'u', credential: 'c'}, "
    "{urls: `turn:${canary}?transport=udp`, username: 'u', credential: 'c'}]}); "
    "p.createDataChannel('d'); p.createOffer().then(o => p.setLocalDescription(o)); }",
    # other contexts
    "worker": "new Worker(own('worker'))",
    "shared": "new SharedWorker(own('worker'))",
    "blob": "new Worker(URL.createObjectURL(new Blob([`fetch('${to('blob')}'); importScripts('${to('blob2')}')`])))",
    "service": "navigator.serviceWorker.register(own('service')).catch(() => 0)",
    "worklet": "CSS.paintWorklet.addModule(to('worklet')).catch(() => 0)",
    "frame": "add(`<iframe src='${own('frame')}'></iframe>`)",
    "sandboxed": "add(`<iframe sandbox='allow-scripts' src='${own('frame')}'></iframe>`)",
    "popup": "open(to('popup'))",
    "opener": "open(own('frame'), '_blank', 'noopener')",
    # acts of a visitor
    "click": "make('a', {href: to('click'), target: '_blank', ping: to('ping')}).click()",
    "download": "make('a', {href: to('download'), download: 'x'}).click()",
    "form": "{ const f = make('form', {action: to('form'), method: 'POST', target: 'somewhere'}); f.submit(); }",
    "report": "add(`<iframe src='${own('reporting')}'></iframe>`)",
    "unload": "addEventListener('pagehide', () => { navigator.sendBeacon(to('unload'), 'x'); "
    "fetch(to('unload2'), {keepalive: true, mode: 'no-cors'}); new Image().src = to('unload3'); })",
    # other names of this machine
    "name": "fetch(`http://x.localhost:${port}/name`, {mode: 'no-cors'}).catch(() => 0)",
    "number": "fetch(`http://2130706433:${port}/number`, {mode: 'no-cors'}).catch(() => 0)",
    "short": "fetch(`http://127.1:${port}/short`, {mode: 'no-cors'}).catch(() => 0)",
    "any": "fetch(`http://0.0.0.0:${port}/any`, {mode: 'no-cors'}).catch(() => 0)",
    "six": "fetch(`http://[::1]:${port}/six`, {mode: 'no-cors'}).catch(() => 0)",
    "mapped": "fetch(`http://[::ffff:127.0.0.1]:${port}/mapped`, {mode: 'no-cors'}).catch(() => 0)",
}

HELP = """
const canary = CANARY, port = canary.split(':').pop(), page = PAGE;
const to = (name) => `http://${canary}/${name}`, own = (name) => `${page}${name}`;
"""
IN_PAGE = """
const add = (html) => document.body.insertAdjacentHTML('beforeend', html);
const make = (tag, set) => document.body.appendChild(Object.assign(document.createElement(tag), set));
"""
IN_WORKER = """
const ways = [
  () => fetch(to('w-fetch'), {mode: 'no-cors'}).catch(() => 0),
  () => new WebSocket(to('w-socket').replace('http', 'ws')),
  () => new EventSource(to('w-events')),
  () => new WebTransport(to('w-transport').replace('http:', 'https:')).closed.catch(() => 0),
  () => import(to('w-import')).catch(() => 0),
  () => importScripts(to('w-script')),
];
for (const go of ways) try { go(); } catch { }
"""


def document(canary: str, page: str) -> str:
    """Returns the page that tries every way out to a canary at host and port, and says how many in its title."""
    return f"<!DOCTYPE html><title>0</title><body><script>{_script(canary, page)}</script></body>"


def answer(path: str, canary: str, page: str) -> tuple[str, str]:
    """Returns type and content of what the page asks of its own host."""
    if path in ("worker", "service"):
        return "text/javascript", _help(canary, page) + IN_WORKER
    if path == "frame":
        return "text/html", document(canary, page)
    return "text/html", "<title>p</title><script>x</script>"


def _script(canary: str, page: str) -> str:
    tries = "\n".join(f"try {{ {way} }} catch {{ }} tried += 1;" for way in WAYS.values())
    end = "document.title = tried;"
    once = "if (top !== self && parent !== top) throw 0;"  # frames in frames in frames would try for ever
    return f"{_help(canary, page)}{IN_PAGE}{once} let tried = 0;\n{tries}\n{end}"


def _help(canary: str, page: str) -> str:
    quoted = (msgspec.json.encode(text).decode("utf-8") for text in (canary, page))
    return HELP.replace("CANARY", next(quoted)).replace("PAGE", next(quoted))
