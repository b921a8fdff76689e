// What the dashboard does beyond plain pages: it keeps them up to date, asks before it acts, and shows values under the
// pointer. Without it everything is still there, one click further. Nothing from a page becomes markup but by the server.
"use strict";

const SOONEST = 2000;   // milliseconds between two looks at the same page
const LATEST = 10000;   // even if nothing is heard: silence is news too
const lost = document.getElementById("lost");
let last = 0, waiting = null, looking = false;

// Live: when something happened, the page is asked for again, and the parts of it that differ are put in place.

async function look() {
  waiting = null;
  if (looking || document.hidden || document.querySelector("dialog[open]")) return;
  looking = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.redirected && new URL(answer.url).pathname === "/login") { location.assign("/login"); return; }
    if (answer.ok) replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
    tellLost("");
  } catch {
    tellLost("The connection to the crawl is lost. What you see is old; it is tried again by itself.");
  } finally {
    looking = false;
    last = Date.now();
  }
}

function replace(page) {
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = page.getElementById(part.id);
    if (!next || next.innerHTML === part.dataset.was) continue;
    const was = kept(part);
    part.dataset.was = next.innerHTML;
    part.replaceChildren(...next.childNodes);
    restore(part, was);
  }
  begin();
}

function kept(part) {  // what the reader did to a part: it must not be undone under their hands
  const active = document.activeElement;
  const inside = part.contains(active) ? Array.from(part.querySelectorAll("a, button, input, summary, [tabindex]")) : [];
  return {
    focus: inside.indexOf(active),
    open: Array.from(part.querySelectorAll("details")).map((one) => one.open),
    typed: Array.from(part.querySelectorAll("input:not([type=hidden])")).map((one) => one.value),
    scrolled: Array.from(part.querySelectorAll(".scroll, .tall, pre")).map((one) => [one.scrollLeft, one.scrollTop]),
  };
}

function restore(part, was) {
  part.querySelectorAll("details").forEach((one, place) => { one.open = was.open[place] ?? false; });
  part.querySelectorAll("input:not([type=hidden])").forEach((one, place) => { one.value = was.typed[place] ?? one.value; });
  part.querySelectorAll(".scroll, .tall, pre").forEach((one, place) => one.scrollTo(...(was.scrolled[place] ?? [0, 0])));
  if (was.focus >= 0) part.querySelectorAll("a, button, input, summary, [tabindex]")[was.focus]?.focus({ preventScroll: true });
}

function soon() {
  if (waiting === null) waiting = setTimeout(look, Math.max(0, last + SOONEST - Date.now()));
}

function tellLost(words) {
  if (lost && lost.textContent !== words) { lost.textContent = words; lost.hidden = !words; }
}

function listen() {
  const events = new EventSource("/v1/events");
  for (const kind of ["live", "note", "act"]) events.addEventListener(kind, soon);
  events.addEventListener("open", soon);
  events.addEventListener("error", soon);
  setInterval(() => { if (Date.now() - last > LATEST) soon(); }, LATEST / 2);
  document.addEventListener("visibilitychange", soon);
}

// Asking first: a button opens a question, and what was done is told on the same page.

async function ask(form, question) {
  const dialog = document.createElement("dialog");
  const words = document.createElement("p"), row = document.createElement("div");
  const no = document.createElement("button"), yes = document.createElement("button");
  words.textContent = question;
  words.id = "question";
  no.textContent = "No";
  no.className = "quiet";
  yes.textContent = "Yes, do it";
  row.append(no, yes);
  dialog.append(words, row);
  dialog.setAttribute("aria-labelledby", "question");
  document.body.append(dialog);
  const answer = new Promise((done) => {
    no.addEventListener("click", () => done(false));
    yes.addEventListener("click", () => done(true));
    dialog.addEventListener("cancel", () => done(false));
  });
  dialog.showModal();
  no.focus();
  const sure = await answer;
  dialog.close();
  dialog.remove();
  form.querySelector("button")?.focus();
  if (sure) await act(form);
}

async function act(form) {
  const body = new URLSearchParams(new FormData(form));
  body.set("sure", "yes");
  const done = document.getElementById("done");
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { "X-Part": "done" } });
    const told = new DOMParser().parseFromString(await answer.text(), "text/html");
    const part = told.querySelector(".told") ?? told.querySelector("main p[role=alert]");
    done.replaceChildren(part ?? "Nothing was done: the answer was not understood.");
  } catch {
    done.textContent = "Nothing was heard: it is not known whether it was done. The log tells.";
  }
  last = 0;
  soon();
}

document.addEventListener("submit", (event) => {
  const question = event.target.dataset.ask;
  if (!question) return;
  event.preventDefault();
  ask(event.target, question);
});

// Parts that take longer: asked for when the page is there.

async function load(part) {
  const way = part.dataset.load;
  part.removeAttribute("data-load");
  try {
    const answer = await fetch(way, { headers: { "X-Part": "visits" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    part.replaceChildren(...(page.querySelector("main p[role=alert]") ? [page.querySelector("main p[role=alert]")] : page.body.childNodes));
  } catch {
    part.append(" It could not be asked for: try again.");
  }
}

// Values under the pointer, in the legend.

function point(frame, event) {
  const { at, lines } = JSON.parse(frame.dataset.chart);
  const plot = frame.querySelector(".plot"), place = plot.getBoundingClientRect();
  const share = Math.min(1, Math.max(0, (event.clientX - place.left) / place.width));
  const number = Math.round(share * (at.length - 1));
  let cross = plot.querySelector(".cross");
  if (!cross) plot.append(cross = Object.assign(document.createElement("div"), { className: "cross" }));
  cross.style.left = `${(number / (at.length - 1)) * 100}%`;
  write(frame, lines.map((line) => line[number]), at[number]);
}

function leave(frame) {
  const { lines } = JSON.parse(frame.dataset.chart);
  frame.querySelector(".cross")?.remove();
  write(frame, lines.map((line) => line.findLast((value) => value !== "–") ?? "–"), "");
}

function write(frame, values, when) {
  const legend = frame.parentElement.querySelector(".legend");
  legend.querySelectorAll("b").forEach((one, place) => { one.textContent = values[place]; });
  frame.querySelector(".across span:nth-child(2)").title = when;
}

document.addEventListener("pointermove", (event) => {
  const frame = event.target.closest?.("[data-chart]");
  for (const other of document.querySelectorAll("[data-chart]")) {
    if (other !== frame && other.querySelector(".cross")) leave(other);
  }
  if (frame) point(frame, event);
}, { passive: true });

function begin() {
  document.querySelectorAll("[data-load]").forEach(load);
}

// A link with a token in its last part, which no server hears of, signs in by itself.
const sign = document.querySelector("form[action='/login']");

function signIn() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", "/login");
  sign.elements.token.value = token;
  sign.requestSubmit();
}

if (sign) {
  window.addEventListener("hashchange", signIn);
  signIn();
} else {
  for (const part of document.querySelectorAll("[data-live]")) part.dataset.was = part.innerHTML;
  document.querySelector("nav a[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  begin();
  listen();
}
