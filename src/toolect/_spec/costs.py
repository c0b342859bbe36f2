"""Edit costs: what each edge of the search that the grammar does not have costs, as data.

A cost is a rounded negative logarithm of how likely a model writes that: 0 is canonical, 1 a slip that changes nothing,
2 or 3 one wrong token, 4 or 5 a call that was broken off, 8 what nobody can read, 12 what is none. What fits is
evidence, and is paid back.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

Cost = Annotated[int, msgspec.Meta(ge=0, le=60)]
Evidence = Annotated[int, msgspec.Meta(ge=-8, le=0)]


class Costs(msgspec.Struct, frozen=True, rename="kebab"):
    """The costs of one dialect, which its entry may override. `ROWS` says of each what it is for."""

    # evidence
    fits: Evidence = -1
    fits_long: Evidence = -2
    call_seen: Evidence = -4
    # markers
    implied_closer: Cost = 2
    implied_opener: Cost = 3
    no_arguments: Cost = 3
    misspelt: Cost = 2
    respaced: Cost = 0
    misspelt_closer: Cost = 1
    near_in_text: Cost = 1
    doubled: Cost = 1
    stray_marker: Cost = 2
    stray_sign: Cost = 2
    sign_missing: Cost = 2
    no_openers: Cost = 0
    # a marker is only text
    marker_in_content: Cost = 3
    weak_in_text: Cost = 1
    aside_in_text: Cost = 2
    misspelt_in_content: Cost = 2
    begins_line: Cost = 4
    opener_in_value: Cost = 3
    swallowed: Cost = 4
    # a marker is meant, though it looks quoted
    quoted: Cost = 8
    in_sentence: Cost = 4
    # JSON
    json_slip: Cost = 1
    json_key: Cost = 1
    json_word: Cost = 1
    json_comment: Cost = 1
    json_comma: Cost = 2
    json_colon: Cost = 2
    json_trailing: Cost = 1
    json_close: Cost = 2
    json_close_all: Cost = 1
    json_drop: Cost = 2
    json_text: Cost = 3
    json_reopen: Cost = 3
    json_end_quote: Cost = 3
    json_first_quote: Cost = 2
    json_fence: Cost = 1
    # strings of value languages
    unescaped: Cost = 3
    spare: Cost = 1
    # calls that are none after all
    no_name: Cost = 12
    no_call: Cost = 6
    # giving up
    break_off: Cost = 5
    skip: Cost = 8


COSTS: Final = Costs()
"""Those of a dialect whose entry says nothing else."""


class CostRow(msgspec.Struct, frozen=True):
    """Description of a cost: where it acts, the edge in words, and a text with it."""

    where: str
    edge: str
    example: str


ROWS: Final[dict[str, CostRow]] = {
    "fits": CostRow("all", "what the grammar has is here", "</b>"),
    "fits_long": CostRow("markers", "a marker of four characters or more that the grammar has is here", "</tool_call>"),
    "call_seen": CostRow("JSON", "an object has a name and arguments", '{"name": "f", "arguments": {}}'),
    "implied_closer": CostRow("markers", "a closer is missing", "Brest\n</function>"),
    "implied_opener": CostRow("markers", "an opener is missing, or those around an object", '<invoke name="f"> alone'),
    "no_arguments": CostRow("markers", "the arguments are missing, or cannot be read", "<tool_call>tide</tool_call>"),
    "misspelt": CostRow("markers", "one character is wrong, missing or too many", "<tool_cal>"),
    "respaced": CostRow("markers", "other blanks, case or quotes", "<invoke name='f' >"),
    "misspelt_closer": CostRow("text", "the closer before the marker that was found is misspelt", "</para meter>"),
    "near_in_text": CostRow("text", "an opener in content is misspelt", "Hi. <tol_call>"),
    "doubled": CostRow("markers", "the last marker comes once more", "<tool_call><tool_call>"),
    "stray_marker": CostRow("markers", "a closer too many", "</tool_call></tool_call>"),
    "stray_sign": CostRow("markers", "a sign too many, also behind JSON", "}}"),
    "sign_missing": CostRow("markers", "a sign of a value language is missing", "f(a=1 b=2)"),
    "no_openers": CostRow("text", "a declared name and a sign of calls: the openers are missing", "get_x[ARGS]{"),
    "marker_in_content": CostRow("text", "a marker is only text, or an opener too many", "Use <tool_call> tags"),
    "weak_in_text": CostRow("text", "a short sign or a name, or a closer in a value, is only text", "a [b] c"),
    "aside_in_text": CostRow("text", "JSON in content, or an opener in reasoning, is only text", 'Set {"a": 1}.'),
    "misspelt_in_content": CostRow("text", "what may be a misspelt opener is only text", "<tool_kit>"),
    "begins_line": CostRow("text", "... though it stands on a line of its own", "\n<tool_call>\n"),
    "opener_in_value": CostRow("text", "an opener is only text of a value", "<parameter=a><tool_call>"),
    "swallowed": CostRow("all", "an edit next to which markers were text, or left out", '"a</tool_call>'),
    "quoted": CostRow("text", "a marker that is quoted, or JSON in a fence, is meant", "`<tool_call>`"),
    "in_sentence": CostRow("text", "what a sentence names, or stands in the middle of, is meant", "the <think> tag"),
    "json_slip": CostRow("JSON", "other quotes, commas or blanks, a control sign in a string", "{'a': 1}"),
    "json_key": CostRow("JSON", "a key without quotes", "{a: 1}"),
    "json_word": CostRow("JSON", "another word or number", "True"),
    "json_comment": CostRow("JSON", "a comment, or an ellipsis", "1, // one"),
    "json_comma": CostRow("JSON", "a comma is missing", '{"a": 1 "b": 2}'),
    "json_colon": CostRow("JSON", "a colon is missing", '{"a" 1}'),
    "json_trailing": CostRow("JSON", "a comma before a bracket", "[1,]"),
    "json_close": CostRow("JSON", "a bracket is missing, or a sentence is in its place", '{"a": [1}'),
    "json_close_all": CostRow("JSON", "all brackets that are open are missing, each", '{"a": {}</tool_call>'),
    "json_drop": CostRow("JSON", "a sign too many", '{"a": 1}}'),
    "json_text": CostRow("JSON", "a text without quotes, or `01`", '{"a": hello}'),
    "json_reopen": CostRow("JSON", "the last quote was one of the string's own", '"say "hi""'),
    "json_end_quote": CostRow("JSON", "a string lacks its last quote", '"x}}</tool_call>'),
    "json_first_quote": CostRow("JSON", "a string lacks its first quote", '{"a": x"}'),
    "json_fence": CostRow("JSON", "a fence around JSON", "```json\n{"),
    "unescaped": CostRow("strings", "a quote is one of the string's own", "'it's'"),
    "spare": CostRow("strings", "a value of a value language is read as JSON", "f(a={b: 'x})"),
    "no_name": CostRow("all", "what was to be a call is none: it has no name that counts", '{"a": 1}'),
    "no_call": CostRow("JSON", "the value after an opener is no call", "<tool_call>[1]</tool_call>"),
    "break_off": CostRow("markers", "another call begins: this one was broken off", '<invoke name="f<invoke name="g">'),
    "skip": CostRow("all", "nobody knows: on to the next marker, and the call fails", "<tool_call>???"),
}  # fmt: skip
"""Description of each cost, as the ledger and the page of leniency show it."""


def cost_table(costs: Costs = COSTS) -> str:
    """The table for people, a line for each row: its name, what it costs, where it acts, its edge in words."""
    return "\n".join(f"{name:19} {getattr(costs, name):3}  {row.where:7}  {row.edge}" for name, row in ROWS.items())


PENALTIES: Final = frozenset(("begins_line", "swallowed", "quoted", "in_sentence", "no_name", "no_call"))
"""Rows that make an edge dearer where something speaks against it; the others are edges."""

GAP: Final = 7
"""Cost by which a hypothesis may exceed the best. Beyond it: it is dropped."""
LATE: Final = 3
"""Cost by which a hypothesis may exceed one that ends within a call, to be read on first."""
ALIVE: Final = 12
"""Hypotheses that live at one time. Beyond it: the dearest are dropped."""
FAR: Final = 256
"""Characters that the best may be ahead of another hypothesis, and events behind the text. Beyond it: it is dropped."""
VISITS: Final = 24
"""Hypotheses that begin at one character. Beyond it: no more do."""
FUEL: Final = 2048
"""Other readings beside the best one, more where more may live. Beyond it, and `PACE`: the best goes on alone."""
PACE: Final = 16
"""Characters that allow for one more."""
