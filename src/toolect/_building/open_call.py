"""A call while it is being read."""

from __future__ import annotations

from toolect._graph.node import STRONG
from toolect._message import Call, Json, Repair, RepairKind, Status
from toolect._shapes.broken_text import completed_text
from toolect._values.fitting import Fitting, fits
from toolect._values.json_lexemes import forgiving
from toolect._values.schema import Schema
from toolect._values.text_values import read_json

MAX_REPAIRS = 256
"""Repairs that are recorded of a call, and of what is outside of calls. Beyond it: the first one of each kind.

A call that then still lacks something, or has too much, is malformed; outside of calls that is content.
"""
_LACKING = frozenset((RepairKind.JSON, RepairKind.IMPLIED_CLOSER, RepairKind.DOUBLE_ENCODED, RepairKind.SALVAGED))
_BROKEN_OFF = _LACKING | {RepairKind.MISSING_ARGUMENTS, RepairKind.MISSPELLED_MARKER}
"""Repairs of a call that broke off behind its name."""
_MENDED = frozenset((RepairKind.JSON, RepairKind.UNESCAPED))
LAYOUT = frozenset((RepairKind.WHITESPACE, RepairKind.COERCION))
"""Repairs that are recorded and leave a call `ok`: another spelling of the same thing."""


class OpenCall:
    """State of a call before it ends. Its arguments come key by key (`entries`) or in one piece (`whole`)."""

    __slots__ = (
        "nameless", "placed", "empty", "start", "index", "name", "header", "id",
        "entries", "keys", "key", "list", "list_key", "repeated", "partial", "value", "whole", "verbatim", "written",
        "shaped", "strange", "unit_end", "truncated", "error", "contrary", "repairs", "tool", "fitting", "fitted",
        "passed",
    )  # fmt: skip

    def __init__(self, start: int) -> None:
        self.start = start
        self.index = -1  # -1 until it is reported
        self.name = ""
        self.header = ""  # the name, when it stands before the arguments and may come again in them
        self.id: str | None = None
        self.entries: list[tuple[str, Json]] = []
        self.keys: set[str] = set()  # those of `entries`
        self.empty = 0  # so many of `entries` come first and are known to be empty texts
        self.key: str | None = None  # of the argument that is open
        self.nameless = False  # an argument is open that may have no name
        self.placed = 0  # how many had none
        self.list: list[Json] = []  # an argument in several elements, as far as it has come
        self.list_key: str | None = None  # its key
        self.repeated = False  # that key came before, and its first value counts
        self.partial: str | None = None  # the text of that argument as far as it has come
        self.value: Json = None
        self.whole = False  # `value` holds the arguments
        self.verbatim = False  # the written text is the model's own
        self.written: list[str] = []  # the arguments' JSON text
        self.shaped = False  # it is the unit of a JSON shape
        self.strange = False  # that has members with no place in it
        self.unit_end = -1  # where its JSON object ended
        self.passed = False  # a text in it holds what may begin another call
        self.truncated = False
        self.error: str | None = None
        self.contrary = False  # two names or ids are in it
        self.repairs: list[Repair] = []
        self.tool = ""  # the tool that the name stands for, once the call is reported
        self.fitting: Fitting | None = None  # what their text goes through before it is passed on
        self.fitted: str | None = None  # that text in the end, where it is another

    @property
    def text(self) -> str:
        """The arguments' JSON text as far as it has come."""
        return "".join(self.written)

    @property
    def status(self) -> Status:
        """Status of the call if it ended here."""
        if self.error is not None:
            return Status.MALFORMED
        if self.truncated:
            return Status.TRUNCATED
        if any(r.kind not in LAYOUT for r in self.repairs):
            return Status.REPAIRED
        return Status.OK

    @property
    def arguments(self) -> Json:
        """The arguments so far, in one piece or key by key."""
        return self.value if self.whole else dict(self.entries)

    @property
    def sound(self) -> bool:
        """True unless it is malformed or truncated."""
        return self.error is None and not self.truncated

    @property
    def is_mended(self) -> bool:
        """True when broken JSON was mended in it, or could not be."""
        return self.error is not None or any(r.kind is RepairKind.JSON for r in self.repairs)

    @property
    def lacked(self) -> bool:
        """True when a bracket or a closer may have been missing in it, or its arguments come as others write them."""
        return any(r.kind in _LACKING for r in self.repairs)

    @property
    def unclosed(self) -> bool:
        """True when an object in it lacks its bracket."""
        return any(
            r.kind is RepairKind.SALVAGED or r.kind in _LACKING and "}" in r.detail.partition(", got ")[0]
            for r in self.repairs
        )

    def surely_over(self, end: int) -> bool:
        """False when a value may go on after character `end`: it was mended, or more than a closer is missing there.

        Or nothing but its name has come, and something is missing. So it may, too, where the beginning of another call
        was passed over: its closers may have been taken.
        """
        missing = [r.detail for r in self.repairs if r.kind is RepairKind.IMPLIED_CLOSER and r.at >= end]
        short = len(missing) > 1 or any(len(core) < STRONG for core in missing)
        bare = not self.arguments and any(r.kind in _BROKEN_OFF for r in self.repairs)
        return not (short or bare or self.passed) and not any(r.kind in _MENDED for r in self.repairs)

    @property
    def blank(self) -> bool:
        """True when arguments have come, and all are empty texts."""
        while self.empty < len(self.entries) and self.entries[self.empty][1] == "":
            self.empty += 1
        return 0 < len(self.entries) == self.empty

    def fail(self, why: str) -> None:
        """The call cannot be read; the first reason counts."""
        self.error = self.error or why

    def note(self, kind: RepairKind, at: int, detail: str) -> None:
        """A repair was made at character `at`."""
        note(self.repairs, kind, at, detail)

    def says(self, what: str, known: str, text: str, at: int) -> bool:
        """True when `what` is known already; it must be the same wherever it stands."""
        if known and known != text:
            self.contrary = True
            self.fail(f"expected the {what} {known!r} again, got {text[:40]!r} - at {at}")
        return bool(known)

    def give(self, key: str, value: Json) -> None:
        """The open argument, `key`, is complete."""
        if not self.repeated:
            self.entries.append((key, value))
            self.keys.add(key)

    def take(self, arguments: Json) -> None:
        """The arguments came in one piece."""
        self.value, self.whole = arguments, True

    def cut(self) -> None:
        """The input ended here: what has come of the open argument, or of the JSON text, is kept."""
        self.truncated = True
        if self.whole:
            return
        if self.partial is not None and self.key is not None:
            self.give(self.key, self.partial)
        elif self.written and not self.entries:
            self.take(completed(self.text))

    def settle(self, end: int) -> None:
        """The call ends at character `end`: note what it lacks, and what came twice."""
        if self.shaped and not self.whole and self.sound and self.name:
            if self.is_mended:
                self.fail(f"expected arguments before the JSON broke - at {self.start}")
            else:
                self.note(RepairKind.MISSING_ARGUMENTS, end, "none")
        if self.strange and any(r.kind is RepairKind.JSON and not 0 <= self.unit_end <= r.at for r in self.repairs):
            self.fail(f"expected no members beside the arguments of a broken call - at {self.start}")
        if not self.name and not self.truncated:
            self.fail(f"expected the name of the tool - at {self.start}")
        if self.sound and not self.whole and len(dict(self.entries)) < len(self.entries):
            self.note(RepairKind.DUPLICATE_KEY, self.start, "the last value counts")
            self.verbatim = True

    def fit(self, schema: Schema) -> str:
        """Make the arguments, which are complete, fit the schema of the tool: what is still to be passed on of them."""
        fitting = self.fitting
        if fitting is None:
            doubled = any(repair.kind is RepairKind.DUPLICATE_KEY for repair in self.repairs)  # a value is not in it
            fit = self.sound and not doubled and fits(schema, self.arguments)
            if not schema.node or fit:
                return ""
            fitting = Fitting(schema)
            fitting.feed(self.text)
        rest = fitting.close()
        if fitting.changes:
            again = fitting.again()
            self.fitted = again.feed(self.text) + again.close()
            for kind, detail in fitting.changes:
                self.note(kind, self.start, detail)
            self.verbatim = True  # two keys may stand for one: both were passed on
            self.take(read_json(self.fitted) if self.sound else completed(self.fitted))
        return rest

    def result(self, end: int, raw: str, strict: bool) -> Call:
        """The settled call; `raw` is its wire text. Strict mode runs no call that was repaired."""
        status, error = self.status, self.error
        if status is Status.TRUNCATED:
            error = "the input ended inside the call"
        elif strict and self.sound and self.repairs:
            first = self.repairs[0]
            status, error = Status.MALFORMED, f"strict mode: {first.kind} - at {first.at}"
        runnable = status is Status.OK or status is Status.REPAIRED
        spelling = (self.text if self.fitted is None else self.fitted) if self.verbatim or not runnable else None
        span = (self.start, end)
        return Call(
            self.tool or self.name, self.arguments, self.id, spelling, raw, span, status, tuple(self.repairs), error
        )

    def snapshot(self, end: int) -> Call:
        """The call as far as it has come, up to character `end`."""
        text = self.text if self.fitting is None else self.fitting.again().feed(self.text)
        arguments = completed(text) if text else {}
        return Call(self.tool or self.name, arguments, self.id, text, "", (self.start, end), Status.TRUNCATED)


def note(repairs: list[Repair], kind: RepairKind, at: int, detail: str) -> None:
    """Add a repair to `repairs`; one of whitespace is enough, and `MAX_REPAIRS` of all other kinds."""
    enough = kind is RepairKind.WHITESPACE or len(repairs) >= MAX_REPAIRS
    if not enough or all(r.kind is not kind for r in repairs):
        repairs.append(Repair(kind, at, detail))


def completed(text: str) -> Json:
    """The arguments whose JSON text begins with `text`, as far as they have come; `{}` where they are no object."""
    try:
        value = forgiving(completed_text(text))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
