// Drawing: data of the server as elements. Text is set as text, never as markup.
export function element(tag, classes = "", text = "") {
  const made = document.createElement(tag);
  if (classes) made.className = classes;
  if (text) made.textContent = text;
  return made;
}

// Offsets of the server count characters, those of a string count UTF-16 units.
export function offsets(text) {
  if (!/[\ud800-\udbff]/.test(text)) return (at) => at;
  const wide = [];
  let count = 0;
  for (let unit = 0; unit < text.length; unit += 1, count += 1) {
    const code = text.charCodeAt(unit);
    if (code >= 0xd800 && code < 0xdc00 && unit + 1 < text.length) {
      const low = text.charCodeAt(unit + 1);
      if (low >= 0xdc00 && low < 0xe000) { wide.push(count); unit += 1; }
    }
  }
  return (at) => {
    let low = 0;
    let high = wide.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (wide[middle] < at) low = middle + 1; else high = middle;
    }
    return at + low;
  };
}

const NAMES = { markup: "markup", content: "content", reasoning: "reasoning", rest: "not coloured" };

function titleOf(span, segments) {
  const segment = segments[span.segment];
  if (!segment || segment.kind !== "call") return NAMES[span.kind] ?? span.kind;
  return [`call ${segment.name || "without a name"}: ${segment.status}`, ...whyOf(segment)].join("\n");
}

export function whyOf(segment) {
  const lines = (segment.repairs ?? []).map(repairText);
  return segment.error ? [segment.error, ...lines] : lines;
}

const repairText = (repair) => `${repair.kind} at ${repair.at}${repair.detail ? `: ${repair.detail}` : ""}`;

export function colour(into, text, spans, segments = [], repairs = []) {
  const unit = offsets(text);
  const marks = new Map();
  for (const repair of [...repairs, ...segments.flatMap((one) => one.repairs ?? [])]) {
    marks.set(repair.at, [...(marks.get(repair.at) ?? []), repairText(repair)]);
  }
  const points = [...marks.keys()].sort((a, b) => a - b);
  const parts = document.createDocumentFragment();
  let next = 0;
  for (const span of spans) {
    const make = (start, end, mark) => {
      if (end <= start) return;
      const part = element("span", span.kind + (mark ? " mark" : ""), text.slice(unit(start), unit(end)));
      part.dataset.hint = mark ?? titleOf(span, segments);
      if (span.segment >= 0) part.dataset.segment = span.segment;
      parts.append(part);
    };
    let at = span.start;
    while (next < points.length && points[next] < span.start) next += 1;
    for (; next < points.length && points[next] < span.end; next += 1) {
      make(at, points[next], null);
      make(points[next], points[next] + 1, marks.get(points[next]).join("\n"));
      at = points[next] + 1;
    }
    make(at, span.end, null);
  }
  into.replaceChildren(parts);
}

export function legend(into, spans) {
  const kinds = [...new Set(spans.map((span) => span.kind))];
  into.replaceChildren(...kinds.map((kind) => element("span", kind, NAMES[kind] ?? kind)));
}

export function list(into, segments, { show = null, dialects = [] } = {}) {
  let call = 0;
  into.replaceChildren(...segments.map((segment, number) => {
    const item = element("li", `segment edge-${segment.status ?? segment.kind}`);
    const head = element("p");
    head.append(element("span", `tag ${segment.status ?? segment.kind}`, segment.status ?? segment.kind), " ");
    if (segment.kind === "call") {
      head.append(element("strong", "", segment.name || "call without a name"));
      if (dialects[call]) head.append(` in ${dialects[call]}`);
      if (segment.id) head.append(` (${segment.id})`);
      call += 1;
    }
    if (show && segment.span) {
      const button = element("button", "", `${segment.span[0]}–${segment.span[1]}`);
      button.type = "button";
      button.setAttribute("aria-label", `Show characters ${segment.span[0]} to ${segment.span[1]}`);
      button.addEventListener("click", () => show(number));
      head.append(" ", button);
    }
    item.append(head);
    const said = segment.kind === "call" ? segment.arguments : segment.text;
    if (said) {
      const text = element("pre", "", said.length > 20000 ? `${said.slice(0, 20000)}…` : said);
      text.tabIndex = 0;
      item.append(text);
    }
    for (const why of whyOf(segment)) item.append(element("p", "why", why));
    if (segment.salvaged) item.append(element("p", "why", `salvaged, not to be run: ${JSON.stringify(segment.salvaged)}`));
    return item;
  }));
}

// What a client has after some frames of a stream.
export function accumulate(frames, upto) {
  const segments = [];
  const calls = new Map();
  const text = (kind, more) => {
    const last = segments.at(-1);
    if (last?.kind === kind) last.text += more; else segments.push({ kind, text: more });
  };
  for (const frame of frames.slice(0, upto)) {
    for (const event of frame.events) {
      if (event.type === "content" || event.type === "reasoning") text(event.type, event.text);
      else if (event.type === "call-start") {
        const call = { kind: "call", name: event.name, id: event.id, arguments: "", status: "arriving" };
        calls.set(event.index, call);
        segments.push(call);
      } else if (event.type === "arguments") calls.get(event.index).arguments += event.text;
      else if (calls.has(event.index)) Object.assign(calls.get(event.index), event.call);
      else segments.push(event.call);
    }
  }
  return segments;
}
