"""Features of messages that a dialect must be able to carry, each with messages to test it.

Nothing here depends on a dialect: `toolect._corpora.fidelity` tests a dialect on the messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from toolect._authoring.generate.random_messages import OSLO, ROME, TEXT, THOUGHT
from toolect._message import Call, Content, Json, Message, Reasoning, Segment


class Sense(StrEnum):
    """Aspects of a message that must come back for it to be carried."""

    MEANING = "meaning"
    """The segments, with equal texts, names and arguments; ids do not count."""
    IDS = "ids"
    """The segments with their ids, or without."""
    ORDER = "order"
    """The segments, with the keys of the arguments in the same order."""
    SPELLING = "spelling"
    """The segments, with the arguments as the model spelled them in JSON, whitespace apart."""
    STREAM = "stream"
    """Arguments that are sent on while the call arrives."""


class Feature(msgspec.Struct, frozen=True):
    """One feature: its name, the group it is shown in, what it means, and the messages that try it.

    `holding` makes a message more of each marker that the dialect in question has.
    """

    name: str
    group: str
    meaning: str
    messages: tuple[Message, ...]
    sense: Sense = Sense.MEANING
    holding: Callable[[str], Message] | None = None

    def with_markers(self, markers: Iterable[str]) -> Iterator[Message]:
        """The messages made of these markers; none where the feature does not ask for any."""
        if self.holding is not None:
            yield from map(self.holding, markers)


_PRINTED = '{"name": "get_time", "arguments": {"place": "Rome"}}'
_IDS = ("call_7f3a", "a1B2c3D4e", "toolu_01A09q90qw90lq91781")


def _feature(name: str, meaning: str, *messages: tuple[Segment, ...], sense: Sense = Sense.MEANING) -> Feature:
    return Feature(name, "", meaning, tuple(map(Message, messages)), sense)


def _values(name: str, meaning: str, *values: Json) -> Feature:
    return _feature(name, meaning, *((Call("f", {"a": value}),) for value in values))


def _keys(name: str, meaning: str, *keys: str) -> Feature:
    return _feature(name, meaning, *((Call("f", {key: "b"}),) for key in keys))


def _names(name: str, meaning: str, *names: str) -> Feature:
    return _feature(name, meaning, *((Call(name, {"a": "b"}),) for name in names))


def _holding(name: str, meaning: str, holding: Callable[[str], Message]) -> Feature:
    return Feature(name, "", meaning, (), holding=holding)


def _group(group: str, *features: Feature) -> tuple[Feature, ...]:
    return tuple(replace(feature, group=group) for feature in features)


def in_text(marker: str) -> Message:
    """Content in which a marker stands."""
    return Message((Content(f"b{marker}c"),))


def in_reasoning(marker: str) -> Message:
    """Reasoning in which a marker stands."""
    return Message((Reasoning(f"b{marker}c"), TEXT))


def in_string(marker: str) -> Message:
    """A call with an argument in which a marker stands."""
    return Message((Call("f", {"a": f"b{marker}c"}),))


def _nest(depth: int) -> Json:
    value: Json = 1
    for level in range(depth):
        value = {"a": value} if level % 2 else [value]
    return value


CALLS = _group(
    "calls",
    _feature("one call", "a call with an argument", (ROME,)),
    _feature("parallel calls", "two calls in one answer", (ROME, OSLO)),
    _feature("equal calls", "the same call twice", (ROME, ROME)),
    _feature("many calls", "thirty calls in one answer", (ROME, OSLO) * 15),
    _feature("several tools", "calls of different tools", (ROME, Call("f", {"a": 1}), OSLO)),
    _feature(
        "ids", "a call keeps the id that it came with", *((Call("f", {"a": "b"}, i),) for i in _IDS), sense=Sense.IDS
    ),
    _feature("no ids", "a call that came without an id gets none", (ROME, OSLO), sense=Sense.IDS),
    _feature("no arguments", "a call with an empty object", (Call("f", {}),), (Call("f", {}), ROME)),
    _feature("many arguments", "a call with two hundred of them", (Call("f", {f"k{i}": i for i in range(200)}),)),
)
TEXTS = _group(
    "text",
    _feature("text alone", "content without a call", (TEXT,), (Content("One.\n\nTwo. 3 < 4 & {a}"),)),
    _feature("text before", "content before a call", (TEXT, ROME)),
    _feature("text between", "content between two calls", (ROME, TEXT, OSLO)),
    _feature("text after", "content after a call", (ROME, TEXT), (TEXT, ROME, OSLO, TEXT)),
    _feature(
        "blanks around text",
        "content that begins or ends with blanks or newlines",
        *((Content(text),) for text in (" a", "a ", "\na", "a\n", "\n\na\n\n", "    a\n  b")),
    ),
    _feature(
        "text like a call",
        "content that shows a call in JSON, which is none",
        (Content(f"Write {_PRINTED} to call it."),),
        (Content(_PRINTED),),
    ),
    _holding("markers in text", "content that holds a marker of the dialect", in_text),
)
REASONING = _group(
    "reasoning",
    _feature("reasoning, text", "reasoning before content", (THOUGHT, TEXT)),
    _feature("reasoning, call", "reasoning before a call", (THOUGHT, ROME)),
    _feature("reasoning, text, calls", "reasoning, content, calls", (THOUGHT, TEXT, ROME, OSLO)),
    _feature("reasoning between", "reasoning between two calls", (ROME, THOUGHT, OSLO)),
    _feature("reasoning after", "reasoning after a call", (ROME, THOUGHT)),
    _feature(
        "blanks around reasoning",
        "reasoning that begins or ends with blanks or newlines",
        *((Reasoning(text), TEXT) for text in (" a", "a ", "\na", "a\n", "a\n\nb")),
    ),
    _holding("markers in reasoning", "reasoning that holds a marker of the dialect", in_reasoning),
)
VALUES = _group(
    "values",
    _values("null", "null", None),
    _values("booleans", "true and false", True, False),
    _values("integers", "0, 3, -7", 0, 3, -7),
    _values("fractions", "0.5, -2.25, 0.1", 0.5, -2.25, 0.1),
    _values("1.0 is not 1", "a whole number that is a float stays one", 1.0, -20.0),
    _values("exponents", "very large and very small floats", 1e22, 1.7e308, 5e-324, -3e-9),
    _values("negative zero", "-0.0 stays negative", -0.0),
    _values("big integers", "beyond 2⁵³ and 2⁶⁴, and of 400 digits", 2**53 + 1, -(2**64), 10**400),
    _values('"1" is not 1', "a string that looks like a number", "1", "-2.50", "020", "1e3", "0x1F"),
    _values('"true" is not true', "a string that looks like a boolean", "true", "false", "True", "False"),
    _values('"null" is not null', "a string that looks like null", "null", "None", "undefined"),
    _values("JSON in a string", "a string that is JSON", '{"b": 1}', "[1, 2]", '"quoted"', "{}", "[]", "{'b': 1}"),
    _values("objects", "an object", {"b": 1, "c": "d"}),
    _values("lists", "a list", [1, 2], ["b", "c"], [1, "b", None, True, 0.5]),
    _values("nested", "objects and lists in one another", {"b": [{"c": [True, {"d": [[1], [2]]}]}]}),
    _values("thirty deep", "thirty levels of nesting", _nest(30)),
    _values("empty object", "an object without keys", {}, {"b": {}}, [{}]),
    _values("empty list", "a list without items", [], {"b": []}, [[]]),
    _values("types inside", "types are kept apart in lists and objects too", {"b": "1", "c": 1}, ["true", True]),
    _feature(
        "key order",
        "the order of the keys",
        (Call("f", {"b": 1, "a": 2, "c": 3}),),
        (Call("f", {"x": {"z": 1, "y": [{"b": 1, "a": 2}]}}),),
        sense=Sense.ORDER,
    ),
    _feature(
        "number spelling",
        "a number as the model wrote it: 1.50, 1e3",
        (Call("f", {"a": 1.5}, spelling='{"a": 1.50}'),),
        (Call("f", {"a": 1000.0}, spelling='{"a": 1e3}'),),
        sense=Sense.SPELLING,
    ),
)
STRINGS = _group(
    "strings",
    _values("empty string", "a string without characters", ""),
    _values("blanks in strings", "strings of blanks, or with blanks around them", " ", "  b", "b  ", "\tb"),
    _values("newlines", "a string of several lines", "if b:\n    c()\n\nd", "a\r\nb"),
    _values("newlines around", "a string that begins or ends with a newline", "\nb", "b\n", "\n", "\n\nb\n\n"),
    _values("quotes", "quotes of every kind", '"', "'", "\"b\" 'c' `d`", "'''", '"""', 'a"}b', "`"),
    _values("backslashes", "backslashes", "\\", "\\n", "C:\\new\\", '\\"', "\\u0041", "\\\\"),
    _values("markup", "tags and entities", "<b>&amp;</b>", "&lt;", "a < b && c > d", "<![CDATA[b]]>", "<!-- b -->"),
    _values("end tags", "the end tag of its tool or its key", "b</f>c", "b</a>c", "</arguments>"),
    _values("punctuation", "brackets, commas, colons", "{", "}", "a, b", "b=1", "k: v", "])", "- b", "# b", "b|c"),
    _values("control characters", "NUL, escape, and the like", "b\x00c", "\x1b[1m", "b\x0cc", "\x7f\x85\u2028"),
    _values("beyond the BMP", "emoji and other astral characters", "😀", "👩\u200d👩\u200d👧", "𝒳"),
    _values("lone surrogates", "half of a surrogate pair", "b\ud83dc", "\udc00"),
    _values("long strings", "twenty thousand characters", "if a < b: c[d] = {e}\n" * 1000 + "end"),
    _holding("markers in strings", "a string that holds a marker of the dialect", in_string),
)
KEYS = _group(
    "keys",
    _keys("plain keys", "a key of letters, digits and _", "place", "a1", "_x"),
    _keys("keys with dashes and points", "a key with a dash, a point, a $", "first-name", "a.b", "$ref", "@id"),
    _keys("keys with blanks", "a key with a blank", "first name"),
    _keys("unicode keys", "a key beyond ASCII", "größe", "城市", "😀"),
    _keys(
        "keys with signs", "a key with quotes, brackets or markup", '"', "a'b", "a>b", "a=b", "a\nb", "a:b", "<b>", "\\"
    ),
    _keys("empty key", "a key without characters", ""),
    _keys("odd keys", "keys that the dialect may need itself", "name", "arguments", "parameters", "1", "class", "id"),
)
NAMES = _group(
    "tool names",
    _names("plain names", "a name of letters, digits and _", "get_time", "f2", "_x"),
    _names("dashed names", "a name with a dash", "list-files"),
    _names("dotted names", "a name with a dot", "files.list"),
    _names("other names", "a name with a slash, a colon, a leading digit", "files/list", "mcp:list", "2fa"),
    _names("unicode names", "a name beyond ASCII", "größe", "获取天气"),
    _names("any name", "a name with blanks, quotes, markup", "get time", '"f"', "a>b", "a\nb", "f(x)", "{f}"),
)
STREAMS = _group(
    "streaming",
    _feature(
        "streamed strings",
        "a long string is sent on while it arrives",
        (Call("f", {"body": "line of text\n" * 40}),),
        sense=Sense.STREAM,
    ),
    _feature(
        "streamed arguments",
        "the first arguments are sent on before the last one arrives",
        (Call("f", {f"key{i}": i for i in range(60)}),),
        sense=Sense.STREAM,
    ),
)
FEATURES: tuple[Feature, ...] = (*CALLS, *TEXTS, *REASONING, *VALUES, *STRINGS, *KEYS, *NAMES, *STREAMS)
"""All features, group by group."""
