"""What a dialect does with texts and messages, to tell whether a broken spec does something else.

The probes come from the unbroken dialect and from a list of messages; nothing here asks the linter. A spec behaves as
another one does when both load, names lead to the same dialects, every probe is read alike in either mode, every
message is written alike, and what is written reads alike in pieces.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any

from toolect._names import resolve
from toolect._spec.load import load_entries, read_entries, read_names
from toolect._spec.model import Spec
from toolect._spec.problems import Problems
from toolect.authoring import laws
from toolect.authoring.corpus import Case, describe
from toolect.compiled import Dialect
from toolect.message import Call, Content, Json, Message, Reasoning
from toolect.rendered import Unrepresentable

_VALUES: dict[str, Json] = {
    "city": "Zürich", "days": 3, "exact": True, "none": None, "ratio": -1.5, "tags": ["a", {"b": []}],
    "where": {"lat": 47.5, "name": "x"},
}  # fmt: skip
_TEXTS: dict[str, Json] = {
    "lines": "one\n  two\n\n", "blank": " a ", "empty": "", "number": "020", "word": "true", "nothing": "null",
    "quotes": "it's \"so\" \\ `", "tags": "</a><b> & {c} [d]", "json": '{"a": [1]}',
}  # fmt: skip
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", list: "array"}
TOOLS = [
    {
        "name": name,
        "parameters": {
            "type": "object",
            "properties": {key: {"type": _TYPES.get(type(value), "object")} for key, value in values.items()},
        },
    }
    for name, values in {"get_time": {}, "find": _VALUES, "say": _TEXTS}.items()
]
_LONG = "abcdefgh" * 5
MESSAGES = [
    Message([Content("Let me see.\nWell, 2 < 3.")]),
    Message([Reasoning("Why?\nBecause.")]),
    Message([Reasoning("Hm."), Content("So.")]),
    Message([Call("get_time", {})]),
    Message([Call("find", _VALUES)]),
    Message([Call("say", _TEXTS)]),
    *(Message([Call("say", {key: text})]) for key, text in _TEXTS.items()),
    *(Message([Call("find", {key: value})]) for key, value in _VALUES.items()),
    Message([Call("find", {"city": "Oslo"}), Call("get_time", {}), Call("find", {"days": 1})]),
    Message([Content("Let me see."), Call("find", {"city": "Oslo"})]),
    Message([Call("find", {"city": "Oslo"}), Content("Done.")]),
    Message([Call("get_time", {}), Content("and"), Call("get_time", {})]),
    Message([Reasoning("Hm."), Call("find", {"city": "Oslo"})]),
    Message([Reasoning("Hm."), Content("So."), Call("get_time", {}), Call("find", {"city": "Oslo", "days": 2})]),
    Message([Call("find", {"city": "Oslo"}, "c1"), Call("find", {"city": "Bergen"}, "c2")]),
    Message([Call("find", {"city": "Oslo"}, "call_abc123XYZ")]),
    Message([Call("a.b-c", {"the-key": "x", "x_1": 2})]),
    Message([Call("Find_2", {"City": "x"})]),
    Message([Call("python", {"code": "print(1)\n"})]),
    Message([Call(_LONG, {_LONG: "v"})]),
]
"""What is rendered, as far as a dialect can carry it."""
SECONDS = 10
"""Processor time for all probes of a spec: what takes longer is another behaviour."""


class TimeUpError(Exception):
    """It took longer than it may."""


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raises TimeUpError inside of the block when it has taken so many seconds of processor time."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TimeUpError(f"took more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@dataclass(frozen=True)
class Probe:
    """A text to read, and how."""

    what: str
    text: str
    options: dict[str, Any]


class Unbroken:
    """A dialect as it is: what it does with each probe, kept for comparing."""

    def __init__(self, path: Path, name: str, cases: Sequence[Case]) -> None:
        spec = load(path, name)
        if isinstance(spec, str):
            raise ValueError(f"expected a spec that loads, got {name}: {spec}")
        self.spec, self.cases = spec, cases
        self.dialect = Dialect(spec)
        self.names = read_names(path)[0]

    @cached_property
    def written(self) -> list[str | None]:
        """The messages as the dialect writes them, None where it cannot."""
        return [write(self.dialect, message) for message in self.messages]

    @cached_property
    def messages(self) -> list[Message]:
        """The messages to write: the same for all dialects, and some with a marker of this one in a value."""
        texts = self.dialect.graph().openers
        return MESSAGES + [Message([Call("say", {"text": f"a{marker}b"})]) for marker in sorted(texts)[:5]]

    @cached_property
    def probes(self) -> list[tuple[Probe, str]]:
        """All probes, each with how it is read."""
        return [(probe, said(self.dialect, probe)) for probe in self._probes()]

    def _probes(self) -> Iterator[Probe]:
        for case in self.cases:
            yield Probe(f"case {case.title!r}", case.text, case.options)
        texts = list(dict.fromkeys(filter(None, self.written)))
        yield from (Probe("canonical", text, {"tools": TOOLS}) for text in texts)
        yield from (Probe("canonical", text, {}) for text in texts)
        for text in texts[::4]:
            yield from (Probe("cut", text[: len(text) * tenths // 10], {}) for tenths in (3, 6, 9))
        for text in texts:
            yield from (Probe("a long name", text[: m.end()] + " x", {}) for m in re.finditer(_LONG, text))
        for end in self.spec.end:
            yield from (Probe(f"end token {end!r}", text + end + "\n", {}) for text in texts[:6:2])
        for tail in self.spec.prefill:
            yield from (Probe(f"prompt {tail!r}", text, {"prefix": tail}) for text in texts[:6:2])
        for right, wrong in self.spec.misspellings.items():
            yield from (
                Probe(f"misspelling {w!r}", t.replace(right, w), {}) for w in wrong for t in texts if right in t
            )

    def difference(self, path: Path) -> str:
        """What the spec of the same name in another file does differently, empty when nothing is seen to differ."""
        spec = load(path, self.spec.name)
        if isinstance(spec, str):
            return f"does not load: {spec}"
        try:
            with time_limit(SECONDS):
                return self._renamed(path) or self._read(Dialect(spec)) or self._wrote(Dialect(spec))
        except TimeUpError as error:
            return str(error)

    def _renamed(self, path: Path) -> str:
        """A name that leads elsewhere."""
        names = read_names(path)[0]
        if names == self.names:
            return ""
        words = [
            word for shelf in (self.names, names) for own in shelf.values() for word in (*own.aliases, *own.models)
        ]
        for word in (*dict.fromkeys(words), *self.names, "nobody/no-such-model"):
            asked = word.replace("*", "1").replace("?", "1")
            if (before := resolve(asked, [self.names])) != (now := resolve(asked, [names])):
                return f"the name {asked!r} leads to {now}, not to {before}"
        return ""

    def _read(self, dialect: Dialect) -> str:
        """A probe that is read in another way."""
        for probe, expected in self.probes:
            if (got := said(dialect, probe)) != expected:
                return f"{probe.what}: {probe.text!r} reads as {got!r}, not as {expected!r}"
        return ""

    def _wrote(self, dialect: Dialect) -> str:
        """A message that is written in another way, or does not read alike in pieces."""
        for message, expected in zip(self.messages, self.written, strict=True):
            if (got := write(dialect, message)) != expected:
                return f"{describe(message)!r} is written {got!r}, not {expected!r}"
            if got is not None and not laws.same(laws.stream(dialect, got)[0], dialect.parse(got)):
                return f"{got!r} reads otherwise by the character"
        return ""


def load(path: Path, name: str) -> Spec | str:
    """The spec of an entry, or the first error that keeps it from loading."""
    problems = Problems()
    entries = read_entries(path, problems)
    loaded = next(load_entries(path, entries, [name]), None) if name in entries else None
    found = [*problems.found, *(loaded.found if loaded else ())]
    if loaded is None or loaded.spec is None or problems.failed:
        return next((d.message for d in found if d.severity == "error"), "there is no such entry")
    return loaded.spec


def said(dialect: Dialect, probe: Probe) -> str:
    """What a text says in either mode, as a corpus has it."""
    try:
        modes = [describe(dialect.parse(probe.text, mode=mode, **probe.options)) for mode in ("lenient", "strict")]
    except TimeUpError:
        raise
    except Exception as error:  # a broken spec may break anything
        return f"{type(error).__name__}: {error}"
    return modes[0] if modes[0] == modes[1] else "\n".join([modes[0], "in strict mode:", modes[1]])


def write(dialect: Dialect, message: Message) -> str | None:
    """A message as wire text, None when the dialect cannot carry it."""
    try:
        return str(dialect.render(message))
    except Unrepresentable:
        return None
    except TimeUpError:
        raise
    except Exception as error:  # as above
        return f"{type(error).__name__}: {error}"
