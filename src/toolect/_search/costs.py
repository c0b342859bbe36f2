"""Edit costs: what each edge of the search that the grammar does not have costs, as data.

A cost is a rounded negative logarithm of how likely a model writes that: 0 is canonical, 1 a slip that changes nothing,
2 or 3 one wrong token, 4 or 5 a call that was broken off, 8 what nobody can read, 12 what is none. What fits is
evidence, and is paid back.
"""

from __future__ import annotations

from typing import Final

import msgspec


class Costs(msgspec.Struct, frozen=True):
    """The costs of one dialect; an entry may override them. `ROWS` says of each what it is for."""

    # evidence
    fits: int = -1
    fits_long: int = -2
    call_seen: int = -4
    # markers
    implied_closer: int = 2
    implied_opener: int = 3
    no_arguments: int = 3
    wrapped: int = 3
    cut_off: int = 4
    misspelt: int = 2
    respaced: int = 0
    misspelt_closer: int = 1
    near_in_text: int = 1
    doubled: int = 1
    doubled_in_value: int = 2
    stray_closer: int = 2
    also_end: int = 6
    stray_opener: int = 3
    stray_sign: int = 2
    sign_missing: int = 2
    sign_glued: int = 4
    text_after: int = 2
    no_openers: int = 0
    # a marker is only text
    opener_in_content: int = 3
    closer_in_content: int = 3
    short_in_content: int = 1
    brace_in_content: int = 2
    misspelt_in_content: int = 1
    thought_in_content: int = 2
    begins_line: int = 4
    begins_answer: int = 2
    opener_in_reasoning: int = 2
    turn_in_reasoning: int = 3
    opener_in_value: int = 3
    closer_in_value: int = 1
    unclosed: int = 4
    swallowed: int = 4
    # a marker is meant, though it looks quoted
    quoted: int = 8
    in_sentence: int = 4
    named_in_sentence: int = 3
    in_fence: int = 9
    # JSON
    json_quote: int = 1
    json_key: int = 1
    json_word: int = 1
    json_comment: int = 1
    json_comma: int = 2
    json_colon: int = 2
    json_trailing: int = 1
    json_close: int = 2
    json_close_all: int = 1
    json_drop: int = 2
    json_text: int = 3
    json_reopen: int = 3
    json_end_quote: int = 3
    json_first_quote: int = 3
    json_fence: int = 1
    json_triple: int = 1
    json_wide: int = 1
    json_sentence: int = 2
    json_marker: int = 4
    # code
    fence_in_content: int = 3
    no_statement: int = 12
    statement_goes_on: int = 1
    # strings of value languages
    unescaped: int = 3
    unescaped_again: int = 1
    newline: int = 1
    spare: int = 1
    # calls that are none after all
    other_key: int = 3
    no_name: int = 12
    no_call: int = 6
    constant: int = 12
    unknown_tool: int = 2
    doubtful_tool: int = 9
    glued: int = 6
    says_nothing: int = 4
    # giving up
    attempt: int = 2
    break_off: int = 5
    skip: int = 8


COSTS: Final = Costs()
"""Those of a dialect whose entry says nothing else."""


class Row(msgspec.Struct, frozen=True):
    """What a cost is for: where it acts, the edge in words, and a text with it."""

    where: str
    edge: str
    example: str


ROWS: Final[dict[str, Row]] = {
    "fits": Row("all", "what the grammar has is here", "</b>"),
    "fits_long": Row("markers", "a marker of four characters or more that the grammar has is here", "</tool_call>"),
    "call_seen": Row("JSON", "an object has a name and arguments", '{"name": "f", "arguments": {}}'),
    "implied_closer": Row("markers", "a closer is missing", "Brest\n</function>"),
    "implied_opener": Row("markers", "an opener is missing", '<invoke name="f"> without its block'),
    "no_arguments": Row("markers", "the arguments are missing", "<tool_call>tide</tool_call>"),
    "wrapped": Row("markers", "an object has all arguments, which come one by one", '<function=f>{"a": 1}'),
    "cut_off": Row("markers", "the text ends within a call, after what was left out", "<function=f></tool_call>"),
    "misspelt": Row("markers", "one character is wrong, missing or too many", "<tool_cal>"),
    "respaced": Row("markers", "other blanks, case or quotes", "<invoke name='f' >"),
    "misspelt_closer": Row("text", "the closer before the marker that was found is misspelt", "</para meter>"),
    "near_in_text": Row("text", "an opener in content is misspelt", "Hi. <tol_call>"),
    "doubled": Row("markers", "the last marker comes once more", "<tool_call><tool_call>"),
    "doubled_in_value": Row("text", "that is the beginning of the value", "<v><v>x</v>"),
    "stray_closer": Row("markers", "a closer too many", "</tool_call></tool_call>"),
    "also_end": Row("text", "an end token that begins an opener, too, ends the answer", "<|message_sep|>"),
    "stray_opener": Row("markers", "an opener too many", "<tool_call>f<tool_call>"),
    "stray_sign": Row("markers", "a sign too many", "}}"),
    "sign_missing": Row("markers", "a sign of a value language is missing", "f(a=1 b=2)"),
    "sign_glued": Row("markers", "the comma between two strings is missing", "['a''b']"),
    "text_after": Row("markers", "text comes: what is open is closed", "</parameter>Done."),
    "no_openers": Row("text", "a declared name and a sign of calls: the openers are missing", "get_x[ARGS]{"),
    "opener_in_content": Row("text", "an opener is only text of content", "Use <tool_call> tags"),
    "closer_in_content": Row("text", "a closer is only text of content", "Use </tool_call>"),
    "short_in_content": Row("text", "a short sign, or a name, is only text of content", "a [b] c"),
    "brace_in_content": Row("text", "JSON is only text of content", 'Set {"a": 1}.'),
    "misspelt_in_content": Row("text", "what may be a misspelt opener is only text", "<tool_kit>"),
    "thought_in_content": Row("text", "an opener of reasoning is only text of content", "the <think> tag"),
    "begins_line": Row("text", "... though it stands on a line of its own", "\n<tool_call>\n"),
    "begins_answer": Row("text", "... and opens no call", "<think>"),
    "opener_in_reasoning": Row("text", "an opener is only text of reasoning", "I could use <tool_call>"),
    "turn_in_reasoning": Row("text", "... one of content", "<|think|>I see.<|content|>"),
    "opener_in_value": Row("text", "an opener is only text of a value", "<parameter=a><tool_call>"),
    "closer_in_value": Row("text", "a closer is only text of a value", "</function></parameter>"),
    "unclosed": Row("text", "a value that holds markers is not closed", "<parameter=a></function>"),
    "swallowed": Row("all", "an edit where the last string or the call within holds a marker", '"a</tool_call>'),
    "quoted": Row("text", "a marker that is quoted is meant", "`<tool_call>`"),
    "in_sentence": Row("text", "a marker in the middle of a sentence is meant", "the <think> tag"),
    "named_in_sentence": Row("text", "an opener of calls that a sentence goes on around is meant", "a <tool_call> tag"),
    "in_fence": Row("text", "JSON in a code block is meant as a call without markers", '```\n{"name": …'),
    "json_quote": Row("JSON", "other quotes", "{'a': 1}"),
    "json_key": Row("JSON", "a key without quotes", "{a: 1}"),
    "json_word": Row("JSON", "another word or number", "True"),
    "json_comment": Row("JSON", "a comment, or an ellipsis", "1, // one"),
    "json_comma": Row("JSON", "a comma is missing", '{"a": 1 "b": 2}'),
    "json_colon": Row("JSON", "a colon is missing", '{"a" 1}'),
    "json_trailing": Row("JSON", "a comma before a bracket", "[1,]"),
    "json_close": Row("JSON", "a bracket is missing", '{"a": [1}'),
    "json_close_all": Row("JSON", "all brackets that are open are missing, each", '{"a": {}</tool_call>'),
    "json_drop": Row("JSON", "a sign too many", '{"a": 1}}'),
    "json_text": Row("JSON", "a text without quotes", '{"a": hello}'),
    "json_reopen": Row("JSON", "the last quote was one of the string's own", '"say "hi""'),
    "json_end_quote": Row("JSON", "a string lacks its last quote", '"x}}</tool_call>'),
    "json_first_quote": Row("JSON", "a string lacks its first quote", '{"a": x"}'),
    "json_fence": Row("JSON", "a fence around JSON", "```json\n{"),
    "json_triple": Row("JSON", "three quotes", '"""a"""'),
    "json_wide": Row("JSON", "signs of Chinese, other blanks", "{“a”：1}"),
    "json_sentence": Row("JSON", "a sentence in the place of the last brackets", '{"a": 1\nDone.'),
    "json_marker": Row("JSON", "... before a marker that a string may hold", '{"a": "</b>"'),
    "fence_in_content": Row("code", "the opener of a block of code is only text", "```python"),
    "no_statement": Row("code", "the block holds no call", "```python\nx = 1\n```"),
    "statement_goes_on": Row("code", "a statement goes on behind its call", "f(a=1).b"),
    "unescaped": Row("strings", "a quote is one of the string's own", "'it's'"),
    "unescaped_again": Row("strings", "... in a call where that has come before", "a='it's', b='he's'"),
    "newline": Row("JSON", "a control sign in a string", '"a\nb"'),
    "spare": Row("strings", "a value of a value language is read as JSON", "f(a={b: 'x})"),
    "other_key": Row("JSON", "bare JSON has a key that no call has", '{"title": "x"}'),
    "no_name": Row("JSON", "what was to be a call has no name or no arguments", '{"a": 1}'),
    "no_call": Row("JSON", "the value after an opener is no call", "<tool_call>[1]</tool_call>"),
    "constant": Row("JSON", "a constant of the shape is another one", '{"type": "text"}'),
    "unknown_tool": Row("all", "a name that is not declared", "f()"),
    "doubtful_tool": Row("all", "... of a call that is in doubt", "x[f()]"),
    "glued": Row("text", "... glued to a word before it", "data[0]"),
    "says_nothing": Row("markers", "a call in a sentence without arguments, of an unknown tool", "see [f()]"),
    "attempt": Row("markers", "a declared name after an opener, and nothing that can be read", "<tool_call>f: x"),
    "break_off": Row("markers", "another call begins: this one was broken off", '<invoke name="f<invoke name="g">'),
    "skip": Row("all", "nobody knows: on to the next marker, and the call fails", "<tool_call>???"),
}  # fmt: skip
"""What each cost is for, as the ledger and the page of leniency show it."""

GAP: Final = 7
"""How much dearer than the best a hypothesis may be. Beyond it: it is dropped."""
LATE: Final = 3
"""How much dearer a hypothesis may be than one that ends within a call, to be read on first."""
ALIVE: Final = 12
"""Hypotheses that live at one time. Beyond it: the dearest are dropped."""
FAR: Final = 1 << 16
"""Characters that the best may be ahead of another hypothesis. Beyond it: the one behind is dropped."""
VISITS: Final = 24
"""Hypotheses that begin at one character. Beyond it: no more do."""
FUEL: Final = 2048
"""Other readings beside the best one, more where more may live. Beyond it, and `PACE`: the best goes on alone."""
PACE: Final = 16
"""Characters that allow for one more."""
