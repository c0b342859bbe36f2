"""The texts that are judged, of each kind, drawn by a seed: damaged, quoted, hostile, others', prose, cases."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from zlib import crc32

from toolect import registry
from toolect._authoring.corpus import PROVENANCE, read
from toolect._authoring.generate.corruption import OF_JSON, Corruption, corrupt, respaced
from toolect._authoring.generate.facts import facts
from toolect._compiled import Dialect
from toolect._message import Call, Json, Message
from toolect._rendered import RenderError
from toolect._rendering.roundtrip import write
from tools.conformance import no_calls, quotations
from tools.conformance.other_parsers import load
from tools.fuzz.damage import damaged
from tools.fuzz.hostile import drawn
from tools.judge.drawn_messages import WORDS, Written, written

CASES = Path(__file__).resolve().parents[2] / "tests" / "corpus"
LOSSY = (
    "dropped-character", "dropped-tokens", "split", "swapped-markers", "truncation", "lost-beginning", "wrong-quotes",
    "spliced-garbage", "renamed-key",
)  # fmt: skip
"""Damages after which the text may not say any more what it said."""
LOSSLESS = (
    "missing-closer", "missing-opener", "open-reasoning", "missing-sign", "missing-word", "blank-in-marker",
    "doubled-marker", "attributes", "whitespace-drift", "escaped-break", "cut-closers", "early-end", "false-start",
    "name-prefix", "missing-comma", "trailing-comma", "missing-quote", "single-quotes", "typographic-quotes",
    "unescaped-quote", "raw-control", "wrong-escape", "missing-brace", "extra-brace", "missing-colon", "unquoted-keys",
    "python-words", "odd-literal", "comment", "ellipsis", "string-values", "fenced",
)  # fmt: skip
"""All others; both are named here, so that a damage that is new or gone is a change of the judge."""
LAYOUTS: tuple[dict[str, Any], ...] = ({"separators": (",", ":"), "ensure_ascii": False}, {"indent": 2}, {})
"""Layouts of JSON that is damaged: compact, indented, or with blanks and escapes."""
INNER = Call("erase_disk", {"label": "old"})
"""A call that is only quoted."""
OUTER = ("write_page", "It is written so:\n{}\nNobody runs that.")
FENCES = ("A call looks like this:\n\n```\n{}\n```\n\nNo more is needed.", "For example:\n```text\n{}\n```")
TOOLS: tuple[dict[str, Json], ...] = ({}, {"tools": no_calls.TOOLS})
PASSAGE = 6_000
"""Characters of a passage of prose or code."""
PROSE = 100_000
"""Characters of each kind of file that passages are drawn from."""


class Text(NamedTuple):
    """A text that is judged: what is asked of it depends on its kind."""

    kind: str
    id: str
    dialect: str
    what: str
    """The damage, frame, file or case."""
    text: str
    options: dict[str, Json]
    about: Json = None
    """The meaning of the text, or the sizes of its chunks."""


def text(kind: str, dialect: str, what: str, wire: str, options: dict[str, Json], about: Json = None) -> Text:
    """A text with an id that tells it from all others of its kind."""
    digest = crc32(json.dumps([wire, options]).encode())
    return Text(kind, f"{kind} {dialect} {what} {digest:08x}", dialect, what, wire, options, about)


Draw = Callable[[int, Random, Sequence[str]], Iterator[Text]]


# Damage


class Meant(NamedTuple):
    """The calls that a damaged text meant, and whether it is the beginning of another message too."""

    calls: Sequence[Call]
    begins: bool


def undamaged(size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """Messages as they are written."""
    for name, one in _messages(size, random, names):
        yield text("as written", name, "", one.text, {"tools": one.tools}, Meant(one.calls, False))


def lossless(size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """Messages with a damage that leaves what they say."""
    return _damage("lossless", LOSSLESS, size, random, names)


def lossy(size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """Messages with a damage that may not."""
    return _damage("lossy", LOSSY, size, random, names)


def chunks(size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """Texts with several damages of any kind, with tools in half of them, and the sizes of their chunks."""
    for name, one in _messages(size, random, names):
        dialect, wire = registry.dialect(name), one.text
        if random.randrange(2):
            wire += random.choice(("", "\n", " ")) + wire[random.randrange(len(wire)) :]
        if random.randrange(2):
            wire = corrupt(wire, dialect.spec, random, Corruption(random.choice(LOSSLESS + LOSSY)))
        wire = damaged(wire, random, facts(dialect).markers, random.randrange(4))
        most = random.choice((1, 8, 60))
        sizes = [random.randint(1, most) for _ in wire]
        yield text("chunks", name, "", wire, {"tools": one.tools} if random.randrange(2) else {}, sizes)


def _messages(size: int, random: Random, names: Sequence[str]) -> Iterator[tuple[str, Written]]:
    """Messages of all the dialects, as many of each."""
    share = -(-size // len(names))
    for name in names:
        messages = chain.from_iterable(written(registry.dialect(name), random) for _ in range(share))
        yield from ((name, one) for one in islice(messages, share))


def _damage(label: str, kinds: Sequence[str], size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """Each message with one damage: another is tried where a text has no place for it."""
    for name, one in _messages(size, random, names):
        for kind in map(Corruption, random.sample(kinds, len(kinds))):
            found = _damaged(registry.dialect(name), one, kind, random)
            if found is not None:
                yield text(label, name, kind, found[0], {"tools": one.tools}, Meant(one.calls, found[1]))
                break


def _damaged(dialect: Dialect, one: Written, kind: Corruption, random: Random) -> tuple[str, bool] | None:
    """The text with a damage, its JSON in some layout, and whether that begins a longer one; nothing without damage."""
    layout = random.choice((None, *LAYOUTS)) if kind in OF_JSON else None
    wire, longer = (it if layout is None else respaced(it, **layout) for it in (one.text, one.longer))
    called = sorted({call.name for call in one.calls})
    starts = _starts(dialect, one) if kind is Corruption.FALSE_START else ()
    broken = corrupt(wire, dialect.spec, random, kind, called, starts)
    joined = kind is Corruption.MISSING_COMMA and _CODE.search(broken) and _JOINED.search(broken)
    values = [*WORDS, *(value for call in one.calls for value in call.arguments.values() if isinstance(value, str))]
    torn = kind is Corruption.WHITESPACE_DRIFT and any(wire.count(value) > broken.count(value) for value in values)
    none = broken == wire or joined or torn
    return None if none else (broken, wire.startswith(broken) and longer.startswith(broken))


_CODE, _JOINED = re.compile(r"\w\(\w+ ?="), re.compile(r"(?<=[^\W\d])\"\s*\"(?=[\w\\])")
"""Calls as code has them, where strings side by side are one string: that is no damage. Nor are blanks in a value."""


def _starts(dialect: Dialect, one: Written) -> list[int]:
    """Start offsets of the calls. Only the place of a damage comes from a reader, never what the text means."""
    found = [call.span[0] for call in dialect.parse(one.text, one.tools).calls if call.span]
    return found if len(found) == len(one.calls) else []


# Texts that hold no call to run


def in_prose(size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """Pages that speak of calls."""
    found = list(quotations.quotations(names))
    for one in random.sample(found, min(size, len(found))):
        yield text("quoted in prose", one.dialect, one.frame, one.text, {"tools": quotations.TOOLS})


def in_value(size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """Calls in a string of another call, with the tools declared and without them."""
    for name, options in _share(size, random, [(name, options) for name in names for options in ({}, _both())]):
        if (inner := _inner(name)) and (wire := _outer(name, inner)):
            yield text("quoted in a value", name, "", wire, options)


def in_fence(size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """Calls in a block of code, of which the text speaks."""
    for name, frame in _share(size, random, [(name, frame) for name in names for frame in FENCES]):
        inner = _inner(name)
        if inner and "```" not in inner:
            yield text("quoted in a fence", name, "", frame.replace("{}", inner), _both())


def prose(size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """Passages of files that come with Python, which have nothing to do with calls."""
    files = [(path.name, found) for path, found in no_calls.texts(PROSE) if len(found) > 100]
    for name in random.choices(names, k=size):
        file, found = random.choice(files)
        start = found.find("\n", random.randrange(len(found))) + 1
        yield text("prose and code", name, file, found[start : start + PASSAGE], random.choice(TOOLS))


def hostile(size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """Texts made to be slow, of any length: read with and without tools, whole and in small chunks."""
    for name in random.choices(names, k=size):
        flood, chunk = drawn(registry.dialect(name), random), random.choice((0, 1, 5))
        yield text("hostile", name, f"by {chunk}", str(flood), random.choice(TOOLS), (flood, chunk))


def _both() -> dict[str, Json]:
    """Both tools of a quoted call and of the one around it."""
    declared = {INNER.name: INNER.arguments, OUTER[0]: ("path", "body")}
    kinds = {name: {key: {"type": "string"} for key in keys} for name, keys in declared.items()}
    return {
        "tools": [{"name": name, "parameters": {"type": "object", "properties": own}} for name, own in kinds.items()]
    }


def _inner(name: str) -> str:
    try:
        return str(write(registry.dialect(name), Message([INNER]), _both()["tools"])).strip()
    except RenderError:
        return ""


def _outer(name: str, inner: str) -> str:
    """A call with the other one in a string: as it is, where the dialect has no escapes, or says that it cannot."""
    for body in (OUTER[1].replace("{}", inner), OUTER[1].replace("{}", "@@")):
        try:
            call = Call(OUTER[0], {"path": "page.md", "body": body})
            return str(write(registry.dialect(name), Message([call]), _both()["tools"])).replace("@@", inner)
        except RenderError:
            continue
    return ""


def _share(size: int, random: Random, things: Sequence[Json]) -> list[Json]:
    return random.sample(things, min(size, len(things)))


# Texts of others, and of the corpus


def others(size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """Cases of other projects' tests."""
    folder = os.environ.get("TOOLECT_CORPUS")
    cases = [case for case in load(Path(folder)) if case.dialect in names and not case.known_broken] if folder else []
    for case in _share(size, random, cases):
        id_ = f"others' cases {case.id}"
        yield Text("others' cases", id_, str(case.dialect), case.source, case.text, {"tools": case.tools}, case)


def reported(size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """Texts of bug reports: of a file that is named, or that lies beside the folder of others' cases."""
    beside = Path(os.environ.get("TOOLECT_CORPUS", "")).parent / "cases" / "reports.jsonl"
    file = Path(os.environ.get("TOOLECT_CASES") or beside)
    cases = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.is_file() else []
    for case in _share(size, random, [case for case in cases if case["dialect"] in names or len(names) > 1]):
        options, id_ = {"tools": case["tools"]} if case["tools"] else {}, f"reported cases {case['id']}"
        yield Text("reported cases", id_, case["dialect"], case["kind"], case["text"], options, case["expect"])


def corpus(size: int, random: Random, names: Sequence[str]) -> Iterator[Text]:
    """The corpus, by what its cases say of where they are from."""
    cases = [case for name in names for case in read(CASES / f"{name}.txt") if not case.has("skip")]
    for case in _share(size, random, cases):
        if case.provenance in PROVENANCE:
            kind = f"corpus :{case.provenance}"
            yield Text(kind, f"{kind} {case}", case.dialect, case.title, case.text, case.options, case.expected)
