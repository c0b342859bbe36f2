// The playground: what is typed is read by the server, off this page's thread, and drawn.
import { MAX_LINK, pack, unpack } from "./link.js";
import { accumulate, colour, element, legend, list, offsets } from "./views.js";

const $ = (id) => document.getElementById(id);
const VIEWS = ["read", "replay", "convert", "conversation", "spec"];
const FIELDS = ["text", "schemas", "dialect", "to", "chat", "messages", "entry", "grammar", "size"];
const DELAY = { read: 120, replay: 200, convert: 200, conversation: 200, spec: 700 }; // milliseconds after a key
let view = "read";
let frames = [];
let playing = 0;
let timer = 0;
let pending = null;

const say = (text, wrong = false) => {
  $("status").textContent = text;
  $("status").className = wrong ? "error" : "";
};

const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

function json(id, what) {
  const text = $(id).value.trim();
  if (!text) return [];
  let value;
  try { value = JSON.parse(text); } catch (error) { throw new Error(`${what}: ${error.message}`); }
  if (!Array.isArray(value)) throw new Error(`${what}: expected a JSON list`);
  return value;
}

async function ask(name) {
  const asked = { text: $("text").value, dialect: $("dialect").value.trim() || "auto", schemas: json("schemas", "tools") };
  if (name === "read") asked.explain = $("why-part").open;
  if (name === "replay") asked.size = Math.max(1, Number($("size").value) || 1);
  if (name === "convert") asked.to = $("to").value.trim();
  if (name === "conversation") Object.assign(asked, { to: $("chat").value.trim(), messages: json("messages", "messages") });
  if (name === "spec") Object.assign(asked, { entry: $("entry").value, grammar: $("grammar").value, explain: false });
  if (name === "conversation") asked.text = "";
  pending?.abort();
  pending = new AbortController();
  const slow = setTimeout(() => say("reading…"), 300);
  try {
    const answer = await fetch(`play/${name}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked), signal: pending.signal,
    });
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.error);
    return { asked, body };
  } finally { clearTimeout(slow); }
}

function drawReading({ asked, body }, suffix = "") {
  const { message } = body;
  const into = suffix ? $("spec-coloured") : $("coloured");
  colour(into, asked.text, body.spans, message.segments, message.repairs);
  const show = (number) => {
    for (const part of into.querySelectorAll(".focus")) part.classList.remove("focus");
    const parts = into.querySelectorAll(`[data-segment="${number}"]`);
    for (const part of parts) part.classList.add("focus");
    parts[0]?.scrollIntoView({ block: "nearest" });
  };
  list(suffix ? $("spec-segments") : $("segments"), message.segments, { show, dialects: message.dialects });
}

const DRAW = {
  read(done) {
    const { body } = done;
    drawReading(done);
    legend($("legend"), body.spans);
    $("evidence").textContent = (body.found ?? []).map((one) =>
      `${[one.dialect, ...one.same.slice(0, 3)].join(" = ")} ${Math.round(one.score * 100)} %`).join(" · ");
    $("why-part").hidden = body.clean;
    $("why").textContent = body.explanation ?? "";
    const calls = body.message.segments.filter((one) => one.kind === "call");
    const runnable = calls.filter((one) => one.runnable).length;
    const notes = body.message.repairs.map((one) => `${one.kind} at ${one.at}`).slice(0, 5);
    say(`${counted(calls.length, "call")}, ${runnable} may run${body.clean ? ", as its dialect writes it" : ""}${
      notes.length ? `; outside of calls: ${notes.join(", ")}` : ""}`);
  },
  replay({ asked, body }) {
    frames = body.frames;
    frames.text = asked.text;
    frames.unit = offsets(asked.text);
    $("at").max = frames.length;
    $("at").value = frames.length;
    $("chunk").textContent = body.size === asked.size ? "" : `chunks of ${body.size}: the text is long`;
    drawFrame();
    say(counted(frames.length, "chunk"));
  },
  convert({ body }) {
    colour($("converted"), body.text, body.spans);
    $("losses").replaceChildren(...body.losses.map((one) => element("li", "", `${one.slot}: ${one.reason}`)));
    say(body.losses.length ? `what is lost: ${body.losses.length}` : "nothing is lost");
  },
  conversation({ body }) {
    colour($("transcript"), body.text, body.spans.map((span) => ({ ...span, segment: -1 })));
    legend($("origins"), body.spans);
    say(counted(body.text.length, "character"));
  },
  spec(done) {
    const { diagnostics } = done.body;
    $("diagnostics").replaceChildren(...diagnostics.map((one) => {
      const item = element("li", one.severity === "error" ? "error" : "", `${one.file}:${one.line}: ${one.check}: ${one.message}`);
      if (one.help) item.append(element("p", "why", one.help));
      for (const text of one.texts ?? []) item.append(element("p", "why", `${text.label}: ${text.text}`));
      return item;
    }));
    if (done.body.message) drawReading(done, "spec");
    else $("spec-coloured").textContent = "";
    say(diagnostics.length ? counted(diagnostics.length, "finding") : "lint finds nothing");
  },
};

function drawFrame() {
  const upto = Number($("at").value);
  const end = upto ? frames[upto - 1].end : 0;
  const text = frames.text ?? "";
  const cut = frames.unit ? frames.unit(end) : 0;
  const arrived = element("span", "content", text.slice(0, cut));
  $("arrived").replaceChildren(arrived, element("span", "scaffold", text.slice(cut)));
  list($("live"), accumulate(frames, upto));
  $("at").setAttribute("aria-valuetext", `${upto} of ${frames.length} chunks`);
}

function play() {
  if (playing) { clearInterval(playing); playing = 0; $("run").textContent = "Play"; return; }
  if (Number($("at").value) >= frames.length) $("at").value = 0;
  $("run").textContent = "Stop";
  const step = Math.max(1, Math.ceil(frames.length / 400));
  playing = setInterval(() => {
    $("at").value = Number($("at").value) + step;
    drawFrame();
    if (Number($("at").value) >= frames.length) play();
  }, 40);
}

async function refresh() {
  const wanted = view;
  try {
    const done = await ask(wanted);
    if (wanted === view) DRAW[wanted](done);
  } catch (error) {
    if (error.name !== "AbortError") say(error.message, true);
  }
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(refresh, DELAY[view]);
}

function choose(name, focus = false) {
  view = name;
  for (const one of VIEWS) {
    const tab = $(`tab-${one}`);
    tab.setAttribute("aria-selected", String(one === name));
    tab.tabIndex = one === name ? 0 : -1;
    $(`view-${one}`).hidden = one !== name;
  }
  if (focus) $(`tab-${name}`).focus();
  refresh();
}

async function share() {
  const state = { view };
  for (const id of FIELDS) if ($(id).value !== $(id).defaultValue) state[id] = $(id).value;
  const packed = await pack(state);
  if (packed.length > MAX_LINK) {
    say(`too long for a link: ${Math.ceil(packed.length / 1024)} of ${MAX_LINK / 1024} kB`, true);
    return;
  }
  history.replaceState(null, "", `#${packed}`);
  try { await navigator.clipboard.writeText(location.href); say("the link is copied"); }
  catch { say("the link is in the address bar"); }
}

function hint(event) {
  const box = $("hint");
  const text = event.target.dataset?.hint;
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  box.style.left = `${Math.min(event.clientX + 12, innerWidth - box.offsetWidth - 8)}px`;
  box.style.top = `${Math.min(event.clientY + 16, innerHeight - box.offsetHeight - 8)}px`;
}

function set(values) {
  for (const id of FIELDS) if (typeof values[id] === "string") $(id).value = values[id];
  $("tools-part").open = $("schemas").value !== "";
}

async function begin() {
  const [start, samples] = await Promise.all(["play/start", "play/files/samples.json"].map(async (url) => (await fetch(url)).json()));
  const options = (names) => names.map((name) => { const one = element("option"); one.value = name; return one; });
  $("dialects").replaceChildren(...options(["auto", ...start.dialects]));
  $("chats").replaceChildren(...options(start.chats));
  $("sample").replaceChildren(...samples.answers.map((one, number) => {
    const option = element("option", "", one.title);
    option.value = number;
    return option;
  }));
  if (!start.editing) {
    $("spec-note").textContent = "This server does not compile specs of visitors. Run “toolect play” on your own machine.";
    $("entry").disabled = true;
    $("grammar").disabled = true;
  }
  $("messages").value = JSON.stringify(samples.messages, null, 2);
  $("entry").value = samples.entry;
  $("grammar").value = samples.grammar;
  for (const id of ["messages", "entry", "grammar"]) $(id).defaultValue = $(id).value;
  const pick = () => { set({ dialect: "auto", schemas: "", ...samples.answers[$("sample").value] }); refresh(); };
  let first = { ...samples.answers[0] };
  if (start.given) first = { text: start.given };
  if (location.hash.length > 1) {
    try { first = await unpack(location.hash.slice(1)); } catch { say("the link could not be read", true); }
  }
  set(first);
  $("sample").addEventListener("change", pick);
  for (const id of FIELDS) $(id).addEventListener("input", later);
  for (const name of VIEWS) $(`tab-${name}`).addEventListener("click", () => choose(name));
  document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    const turn = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const number = VIEWS.indexOf(view);
    if (turn) choose(VIEWS[(number + turn + VIEWS.length) % VIEWS.length], true);
    else if (event.key === "Home" || event.key === "End") choose(VIEWS.at(event.key === "Home" ? 0 : -1), true);
    else return;
    event.preventDefault();
  });
  $("at").addEventListener("input", drawFrame);
  $("run").addEventListener("click", play);
  $("share").addEventListener("click", share);
  $("why-part").addEventListener("toggle", () => { if ($("why-part").open && !$("why").textContent) refresh(); });
  document.addEventListener("mousemove", hint);
  choose(VIEWS.includes(first.view) ? first.view : "read");
}

begin().catch((error) => say(`the page could not begin: ${error.message}`, true));
