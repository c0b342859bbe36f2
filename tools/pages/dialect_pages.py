"""A page for each dialect, made of what is known about it: its spec, what it writes, what it refuses, how it does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import yaml

from toolect import Message, RenderError, registry
from toolect._authoring.corpus import outline
from toolect._authoring.escaping import escapes
from toolect._authoring.generate.random_messages import OSLO, ROME, TEXT, THOUGHT
from toolect._compiled import Dialect
from toolect._corpora.features import FEATURES, Sense
from toolect._corpora.fidelity import FeatureOutcome, FeatureVerdict, judge, markers
from toolect._message import Json, Segment
from toolect._spec.model import Spec
from tools.conformance.other_parsers import Figures, read_figures
from tools.markdown_text import cell, code, fenced, table
from tools.reports import REPORTS

ROOT = Path(__file__).resolve().parents[2]
ENTRIES = ROOT / "dialects.yaml"
MEASURED = REPORTS / "conformance.json"
FIGURES = {
    "pass": "cases whose calls and content are as expected",
    "calls": "cases whose calls are",
    "content": "cases whose content and reasoning are, outer whitespace aside",
    "bytes": "cases whose content, reasoning and raw arguments are, byte for byte",
    "streams": "cases that are read alike in whatever pieces they arrive",
    "strict": "examples that strict mode reads as expected",
    "rendered": "examples that are written again byte for byte",
    "quirks": "known quirks that lenient mode reads as expected",
}
"""Every figure of a conformance run, in words, in the order of the pages."""
COMPOSED: tuple[tuple[str, tuple[Segment, ...]], ...] = (
    ("Reasoning, content and two calls", (THOUGHT, TEXT, ROME, OSLO)),
    ("Content and two calls", (TEXT, ROME, OSLO)),
    ("Reasoning and two calls", (THOUGHT, ROME, OSLO)),
    ("Two calls", (ROME, OSLO)),
    ("Content and a call", (TEXT, ROME)),
)
"""Messages from the richest on: the first that a dialect carries is its sample."""
TOOL: dict[str, Json] = {
    "name": "get_time",
    "description": "Tells the time.",
    "parameters": {
        "type": "object",
        "properties": {
            "place": {"type": "string", "description": "A city"},
            "unit": {"type": "string", "enum": ["12h", "24h"]},
        },
        "required": ["place"],
    },
}


def sample(name: str) -> str:
    """One call in a dialect."""
    return str(registry.dialect(name).render(Message([ROME])))


def index() -> str:
    """The page that lists all dialects."""
    rows = [("dialect", "what it is", "one call", "models")]
    for name in registry.dialects():
        spec = registry.spec(name)
        rows.append((_link(name), cell(spec.about), code(sample(name)), ", ".join(map(code, spec.models[:2]))))
    return f"""# All dialects

`↵` is a newline. How a dialect is declared is on the page about [the spec language](../guide/dialects.md).

{table(rows)}
"""


def page(name: str) -> str:
    """The page of one dialect."""
    dialect = registry.dialect(name)
    parts = [f"# {name}", _head(dialect.spec), *_samples(dialect), *_prompt(dialect), *_grammar(name), *_entry(name)]
    parts += [*_refused(dialect), *_escapes(dialect), *_figures(name)]
    return "\n\n".join(parts) + "\n"


def _head(spec: Spec) -> str:
    source = f"<{spec.source}>" if spec.source.startswith("http") else cell(spec.source)
    facts = {
        "Source": source or "none",
        "Models": ", ".join(map(code, spec.models)) or "none by their ids",
        "Aliases": ", ".join(map(code, spec.aliases)) or "none",
    }
    return "\n".join([cell(spec.about) + ".", "", *(f"- {key}: {text}" for key, text in facts.items())])


def _samples(dialect: Dialect) -> Iterator[str]:
    yield "## One call"
    yield fenced(sample(dialect.name))
    for title, segments in COMPOSED:
        try:
            text = dialect.render(Message(segments))
        except RenderError:
            continue
        yield f"## {title}"
        yield fenced(str(text))
        return


def _prompt(dialect: Dialect) -> Iterator[str]:
    """Sections with a tool and a result in the prompt, as the dialect's chat writes them."""
    if dialect.telling.own:
        yield "## A tool in the prompt"
        yield fenced(dialect.render_tools([TOOL]))
        turn = "a turn of the user's" if dialect.telling.by_user else "a turn of the tool's"
        yield "## A result in the prompt"
        yield f"In {turn}, whose own markup belongs to the chat template:"
        yield fenced(dialect.render_results([("get_time", '{"time": "12:30"}', "call_7f3a")]))


def _grammar(name: str) -> Iterator[str]:
    path = f"grammars/{name}.lark"
    yield "## Grammar"
    if not (ROOT / path).exists():
        yield f"That of {_link(_extends(name))}, with the markers that its entry gives."
        return
    text = (ROOT / path).read_text(encoding="utf-8")
    yield f"[`{path}`](../../{path}):"
    yield fenced(text, "lark")
    imported = [f"grammars/values/{value}.lark" for value in re.findall(r"%import \.values\.(\w+)", text)]
    if imported:
        yield f"It imports {', '.join(f'[`{path}`](../../{path})' for path in imported)}."


def _entry(name: str) -> Iterator[str]:
    yield "## Entry"
    if extends := _extends(name):
        yield f"Fields that it does not have are those of {_link(extends)}."
    yield fenced(_texts()[name], "yaml")


def _refused(dialect: Dialect) -> Iterator[str]:
    rows = list(refused(dialect))
    yield "## What it cannot carry"
    if rows:
        yield "Of what `toolect spec features` tries. All but what comes back otherwise raises `RenderError`."
        yield table([("what", "why"), *rows])
    else:
        yield "It carries all that is tried on every dialect."


def _escapes(dialect: Dialect) -> Iterator[str]:
    rows = [
        (found.slot, code(found.witness), code(outline(found.read)), ", ".join(found.forgeries) or "none", found.answer)
        for found in escapes(dialect)
    ]
    yield "## What leaves its slot"
    if rows:
        yield (
            "The shortest text that leaves a slot when it is put there as it is, what comes of it, what such a text "
            "can forge, and what `render` does with it: see [why](../decisions/12-nothing-written-breaks-out.md)."
        )
        yield table([("slot", "text", "is read as", "can forge", "render"), *rows])
    else:
        yield "No text does: every slot holds JSON."


def _figures(name: str) -> Iterator[str]:
    figures = _measured().get(name, {})
    if figures:
        yield "## Conformance"
        yield "Cases of other projects, and examples and quirks of this format; see [reports](../reports/README.md)."
        held = [(words, "{} of {}".format(*figures[key])) for key, words in FIGURES.items() if key in figures]
        yield table([("what", "held"), *held])


def _link(name: str) -> str:
    return f"[`{name}`]({name}.md)"


@lru_cache
def _measured() -> Figures:
    return read_figures(MEASURED)


@lru_cache
def _texts() -> dict[str, str]:
    """Each entry of `dialects.yaml`, as it stands there."""
    parts = re.split(r"^(?=[a-z0-9])", ENTRIES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {part.partition(":")[0]: re.sub(r"\s*(\n#.*)*\s*\Z", "\n", part, count=1) for part in parts}


def _extends(name: str) -> str:
    """The dialect whose entry this one begins with, or nothing; whatever YAML might make of a text, it stays one."""
    return str(yaml.load(_texts()[name], yaml.BaseLoader)[name].get("extends", ""))


# Features that a dialect does not carry, and what it says to each

LOST = (FeatureVerdict.CHANGED, FeatureVerdict.REFUSED)
SENSES = (Sense.MEANING, Sense.IDS)
"""Senses that must come back: how arguments are ordered, spelled and streamed is on no page."""


def refused(dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Features that the dialect does not carry as they are, and why; both as cells of a table."""
    reasons: dict[str, list[str]] = {}
    for feature in FEATURES:
        for outcome in (judge(dialect, one, feature.sense) for one in feature.messages if feature.sense in SENSES):
            if outcome.verdict in LOST:
                reasons.setdefault(_why(outcome), []).append(cell(feature.meaning))
                break
    yield from (("; ".join(titles), reason) for reason, titles in reasons.items())
    for feature in FEATURES:
        if feature.holding is not None and judge(dialect, feature.holding(" "), feature.sense).verdict not in LOST:
            tried = ((marker, judge(dialect, feature.holding(marker), feature.sense)) for marker in markers(dialect))
            if found := [code(marker) for marker, outcome in tried if outcome.verdict in LOST]:
                title = feature.meaning.removesuffix("a marker of the dialect")
                yield f"{title}{', '.join(found)}", "would not be read back as it is"


def _why(outcome: FeatureOutcome) -> str:
    """Why something is lost, for a cell of a table."""
    why, _, regex = outcome.reason.partition(" /")
    if outcome.verdict is FeatureVerdict.CHANGED:
        return cell(outcome.reason)
    return f"{cell(why)} {code('/' + regex)}: {code(outcome.witness)}" if regex else cell(why)
