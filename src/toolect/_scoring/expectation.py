"""Expectations as plain data: the calls that an answer should make, and the differences of those it made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

import msgspec

from toolect._message import Call, Json, Message, MessageError, dumps
from toolect._shown import cut

LONGEST_VALUE = 80
"""Characters of a value in a sentence."""


class Reason(StrEnum):
    """Reason why an answer is not the expected one; MALFORMED and TRUNCATED are the status of an attempt to call."""

    NO_ANSWER = "no answer"
    MALFORMED = "malformed"
    TRUNCATED = "truncated"
    NO_CALL = "no call"
    UNWANTED = "unwanted call"
    COUNT = "count"
    NAME = "name"
    MISSING = "missing argument"
    UNEXPECTED = "unexpected argument"
    TYPE = "type"
    VALUE = "value"
    STATE = "state"
    RESULT = "result"


class Grade(StrEnum):
    """Grade of an answer: right, maybe after repairs; read well and wrong; or not to be read, or not there."""

    RIGHT = "right"
    REPAIRED = "repaired"
    WRONG = "wrong"
    MALFORMED = "malformed"
    TRUNCATED = "truncated"
    NO_CALL = "no call"
    NO_ANSWER = "no answer"

    @property
    def right(self) -> bool:
        """True for an answer that counts."""
        return self is Grade.RIGHT or self is Grade.REPAIRED


class Miss(msgspec.Struct, frozen=True, omit_defaults=True):
    """One difference from what was expected, at an expected tool and one of its arguments."""

    reason: Reason
    tool: str = ""
    argument: str = ""
    expected: str = ""
    got: str = ""

    def __str__(self) -> str:
        at = ".".join(filter(None, (self.tool, self.argument)))
        sentence = f"expected {self.expected}, got {self.got}" if self.expected else self.got
        return f"{self.reason}: {sentence}{f' - at `{at}`' if at else ''}"


class ExpectedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call that should be made.

    With `options`, each argument has a list of the values that are right, as in the files of BFCL: "" among them says
    that it may be left out, and so for the members of objects. Otherwise each argument has its one value.
    """

    name: str
    arguments: dict[str, Json]
    options: bool = False


class Expectation(msgspec.Struct, frozen=True, omit_defaults=True):
    """Expectation of one answer: these calls in any order, none at all, or with None any call.

    `tools` are as in `Dialect.parse`. `language` is that in which arguments are written as texts: "java",
    "javascript", or "" where they are values.
    """

    calls: tuple[ExpectedCall, ...] | None
    tools: tuple[Json, ...] = ()
    id: str = ""
    category: str = ""
    language: str = ""

    @property
    def schemas(self) -> dict[str, Mapping[str, Json]]:
        """The parameters of the tools, by name."""
        inner = [tool.get("function", tool) for tool in self.tools]
        return {one["name"]: members(one.get("parameters") or one.get("input_schema")) for one in inner}


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """Score of an answer: its grade, and the differences; `dialects` are those that its calls were read in."""

    grade: Grade
    misses: tuple[Miss, ...] = ()
    dialects: tuple[str, ...] = ()


def members(value: Json) -> Mapping[str, Json]:
    """Members of an object; none where a schema has something else."""
    return value if isinstance(value, Mapping) else {}


def shown(value: Json) -> str:
    """A value in a sentence; a state may be no JSON."""
    try:
        text = dumps(value)
    except (TypeError, ValueError):
        text = repr(value)
    except RecursionError:
        text = "…"
    return f"`{cut(text, LONGEST_VALUE)}`"


def expected_calls(given: Json, where: str = "expected") -> tuple[ExpectedCall, ...]:
    """The calls that are expected: `{tool: {argument: [value, …]}}` as in BFCL, or calls of any API, or a Message.

    Raises MessageError for anything else.
    """
    if isinstance(given, Message):
        given = given.calls
    listed = given if isinstance(given, list | tuple) else [given]
    by_tool = [one for one in listed if isinstance(one, Mapping) and len(one) == 1 and "tool_calls" not in one]
    if listed and len(by_tool) == len(listed) and not any(isinstance(one.get("name"), str) for one in by_tool):
        named = [(f"{where}[{i}]", *item) for i, one in enumerate(by_tool) for item in one.items()]
        return tuple(_with_options(*one) for one in named)
    odd = next((one for one in listed if not isinstance(one, Mapping | Call)), None)
    if odd is not None:
        raise MessageError("calls as objects", shown(odd), where, 'such as {"name": …, "arguments": {…}}')
    try:
        calls = Message.of(given if isinstance(given, Mapping) and "name" not in given else listed).calls
    except MessageError as error:
        raise MessageError(error.expected, error.got, error.where.replace("$", where, 1), error.advice) from None
    for call in calls:
        if not call.runnable:
            raise MessageError("calls whose arguments are objects", shown(call.arguments_text), where)
    return tuple(ExpectedCall(call.name, call.arguments) for call in calls)


def _with_options(where: str, name: str, arguments: Json) -> ExpectedCall:
    if not isinstance(arguments, Mapping):
        raise MessageError("an object of arguments", shown(arguments), f"{where}.{name}")
    for key, options in arguments.items():
        if not isinstance(options, list):
            raise MessageError("a list of possible values", shown(options), f"{where}.{name}.{key}")
    return ExpectedCall(name, dict(arguments), options=True)


def worst(misses: Iterable[Miss]) -> Grade:
    """The grade of an answer with these misses: what could not be read comes before what is wrong."""
    reasons = {miss.reason.value for miss in misses}
    named = (Grade.NO_ANSWER, Grade.MALFORMED, Grade.TRUNCATED, Grade.NO_CALL)
    return next((one for one in named if one.value in reasons), Grade.WRONG if reasons else Grade.RIGHT)
