"""Scores of induction: dialects that are induced, held against what they were not shown.

- random formats: five samples, then eight messages that were held out, which have to be read to the last argument;
- shipped dialects: the first cases of their corpora, which have to be read as the shipped dialect reads them;
- chat templates: what they write for the probes, then random messages that they write.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import msgspec

import toolect
from toolect._values.schema_keywords import type_of
from toolect.authoring.corpus import read
from toolect.authoring.lint.runner import lint
from toolect.authoring.scaffold import Sample, Scaffold, Told, scaffold, scaffold_told
from toolect.chat_template import judge, turns
from toolect.chat_template.probes import PROBES, SIGNS, TOOLS, Probe, Style
from toolect.chat_template.verdict import OTHERWISE, SPACED
from toolect.compiled import Dialect
from toolect.message import Call, Json, Message, same_json
from tools.induction.odd_formats import odd_format
from tools.induction.random_formats import Format, random_format
from tools.induction.said import HELD_OUT, SAMPLES, Plan, Tool, random_call, random_message, random_tools

CORPUS = Path(__file__).parents[2] / "tests" / "corpus"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A random format with what is written in it."""

    seed: int
    form: Format
    tools: list[Tool]
    samples: list[str]
    held_out: list[tuple[str, Message]]

    @property
    def declared(self) -> list[Json]:
        """The tools as a request has them."""
        return [tool.declared() for tool in self.tools]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one format, dialect or template."""

    name: str
    features: frozenset[str]
    exact: bool
    claimed: bool
    """The samples are said to be read."""
    calls: bool
    """All calls are read to the last argument, whatever becomes of the text beside them."""
    wrong: str = ""
    """The first thing that is read otherwise."""
    clean: bool = False
    """Lint finds nothing in its files; never for those that were not looked at."""


def drawn(seed: int, odd: bool = False) -> Drawn:
    """The format of a seed, its samples and the messages that are held out; an `odd` one is made up by a person."""
    random = Random(seed)
    form = odd_format(random) if odd else random_format(random)
    tools = random_tools(random, form.types, form.empty)

    def message(plan: Plan) -> Message:
        reasoning = form.thought is not None and (random.random() < 0.6 or plan is SAMPLES[0])
        planned = Plan(plan.content, plan.calls, reasoning)
        return random_message(random, planned, lambda: random_call(random, tools, form.carries, form.identify))

    samples = [form.write(message(plan)) for plan in SAMPLES]
    while "entities" in form.features and not any("&" in sample for sample in samples):  # samples show what there is
        samples = [form.write(message(plan)) for plan in SAMPLES]
    held_out = [(form.write(one), one) for one in map(message, HELD_OUT)]
    return Drawn(seed, form, tools, samples, held_out)


def induced(texts: Iterable[str], tools: list[Json] | None = None) -> Scaffold:
    """What `toolect new` makes of samples."""
    with tempfile.TemporaryDirectory() as folder:
        samples = [Sample(f"Sample {i}", text) for i, text in enumerate(texts, 1)]
        return scaffold("new", samples, Path(folder) / "new.yaml", tools)


def lints_clean(made: Scaffold) -> bool:
    """True when lint finds nothing in the files of a new dialect but what no sample shows."""
    spec = next(path for path in made.files if path.suffix == ".yaml")
    with tempfile.TemporaryDirectory() as folder:
        for path, text in made.files.items():
            target = Path(folder) / path.relative_to(spec.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        found = lint(Path(folder) / spec.name).diagnostics
        return all(one.check == "uncovered" for one in found)  # samples need not show all that their format may have


def random_outcome(seed: int, linted: bool = False, odd: bool = False, declared: bool = True) -> Outcome:
    """How a random format is induced; whether it lints clean, too, if it is to be `linted`."""
    one = drawn(seed, odd)
    made = induced(one.samples, one.declared if declared else None)
    wrong = next(differing(made.dialect, one.held_out, one.declared), "")
    called = not any(differing(made.dialect, one.held_out, one.declared, content=False))
    clean = linted and lints_clean(made)
    return Outcome(one.form.family, one.form.features, not wrong, made.sound, called, wrong, clean)


def differing(
    dialect: Dialect, texts: Iterable[tuple[str, Message]], tools: list[Json] | None, content: bool = True
) -> Iterator[str]:
    """Where the dialect reads something else than what was written, outer whitespace of texts aside."""
    for text, put in texts:
        message = dialect.parse(text, tools)
        if difference := different(message, put, content):
            yield f"{difference} - in {text!r}"


def different(message: Message, put: Message, content: bool = True) -> str:
    """How a message differs from the one that was written; "" if it does not."""
    calls = [(call.name, call.id, call.runnable) for call in message.calls]
    wanted = [(call.name, call.id, True) for call in put.calls]
    if calls != wanted:
        return f"calls {calls}, expected {wanted}"
    for call, other in zip(message.calls, put.calls, strict=True):
        if not same_json(call.arguments, other.arguments):
            return f"arguments {call.arguments}, expected {other.arguments}"
    for got, expected in () if not content else ((message.content, put.content), (message.reasoning, put.reasoning)):
        if got.strip() != expected.strip():
            return f"text {got!r}, expected {expected!r}"
    return ""


# Shipped dialects


def shipped_outcome(name: str, count: int, declared: bool, linted: bool = False) -> Outcome | None:
    """How a shipped dialect is induced from the first `count` cases of its corpus that have calls; None without any."""
    wanted = toolect.dialect(name)
    cases = []
    for case in read(CORPUS / f"{name}.txt"):
        if any(map(case.has, ("skip", "error", "lenient", "prefix", "policy", "parse-only"))):
            continue
        message = wanted.parse(case.text, **case.options)
        alone = len(message.calls) == 1 and bool(message.calls[0].arguments)
        if message.clean and message.calls and (count > 1 or alone):
            cases.append((case, message))
        if len(cases) == count:
            break
    if not cases:
        return None
    tools = tools_of(call for _, message in cases for call in message.calls) if declared else None
    made = induced([case.text for case, _ in cases], tools)
    wrong, called = "", True
    for case, _ in cases:
        options = case.options if tools is None else {"tools": tools}
        put = wanted.parse(case.text, **options)
        got = made.dialect.parse(case.text, **options)
        wrong = wrong or different(_unidentified(got), _unidentified(put))
        called = called and not different(_unidentified(got), _unidentified(put), content=False)
    return Outcome(name, frozenset(), not wrong, made.sound, called, wrong, linted and lints_clean(made))


def _unidentified(message: Message) -> Message:
    return Message(
        [msgspec.structs.replace(one, id=None) if isinstance(one, Call) else one for one in message.segments]
    )


def tools_of(calls: Iterable[Call]) -> list[Json]:
    """Tools that such calls may be of: a parameter has all types that it was given."""
    types: dict[str, dict[str, dict[str, None]]] = {}
    for call in calls:
        properties = types.setdefault(call.name, {})
        for key, value in (call.arguments or {}).items():
            properties.setdefault(key, {})[type_of(value)] = None
    tools: dict[str, dict[str, Json]] = {
        name: {key: {"type": [*kinds] if len(kinds) > 1 else next(iter(kinds))} for key, kinds in properties.items()}
        for name, properties in types.items()
    }
    return [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}
        for name, properties in tools.items()
    ]


# Chat templates


def template_outcome(name: str, source: str, seed: int = 0, linted: bool = False) -> Outcome | None:
    """How the dialect of a chat template is induced; None where it writes no calls. Raises BadTemplate."""
    random = Random(seed)
    made = induced_from_template(source)
    if made is None:
        return None
    scaffolded, style = made
    probes = [
        Probe(
            f"random {i}",
            random.choice(("", "Here is what I know.", "I will check that; a moment.")),
            random.choice(("", "The user wants to know more.")),
            tuple(_asked(random) for _ in range(random.choice((1, 1, 2, 3)))),
        )
        for i in range(12)
    ]
    held_out = turns(source, probes, (style,))[0]
    verdict = judge(scaffolded.dialect, held_out)
    unread = [one for one in verdict.differences if one.what not in (OTHERWISE, SPACED)]
    unread = [one for one in unread if not one.what.startswith("cannot be written")]
    wrong = f"{unread[0].probe}: {unread[0].what}" if unread else ""
    called = not any(one.what.startswith("calls") for one in unread)
    clean = linted and lints_clean(scaffolded)
    return Outcome(name, frozenset(), not wrong, scaffolded.sound, called, wrong, clean)


def _asked(random: Random) -> tuple[str, dict[str, Json]]:
    """A call of one of the tools of the probes."""
    text = random.choice(("Bern", "Zürich at night", 'a "quoted" word', "1 < 2 & 3", "C:\\temp", "two\nlines"))
    forecast: dict[str, Json] = {"city": text, "days": random.randint(-2, 40), "hourly": random.random() < 0.5}
    note: dict[str, Json] = {"text": text, "size": random.choice((0.25, 2.5)), "tags": ["a", text], "meta": {"k": True}}
    return random.choice((("get_forecast", forecast), ("save_note", note), ("list_notes", {})))


def induced_from_template(source: str) -> tuple[Scaffold, Style] | None:
    """What `toolect new --template` makes of a chat template."""
    found = turns(source, (*PROBES, SIGNS))[0]
    style = found[0].style
    if style is None:
        return None
    told = [Told(turn.probe, turn.text, turn.message, turn.prompt, turn.asked) for turn in found]
    answers, further = (
        [one for one in told if one.title != SIGNS.title],
        [one for one in told if one.title == SIGNS.title],
    )
    with tempfile.TemporaryDirectory() as folder:
        return scaffold_told("new", answers, Path(folder) / "new.yaml", TOOLS, further), style
