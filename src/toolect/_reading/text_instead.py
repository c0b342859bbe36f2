"""Text where the last brackets of calls in JSON should be: the calls are whole, and the brackets were left out."""

from __future__ import annotations

import re

from toolect._reading.course import Course
from toolect._reading.json_value import JsonValue
from toolect._reading.next_call import item_after
from toolect._shapes.mend import Mender
from toolect._shapes.open_value import Expect
from toolect._values.json_lexemes import Broken

_SENTENCE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_][\w'’-]{0,64}[,.!?]{0,3}\s{1,4}(?![\s:=])").match
"""What begins a sentence: a word and another one, and no key; or a sign of a script without blanks."""


def text_instead(value: JsonValue, course: Course, broken: Broken, end: int) -> int:
    """The character where the calls in `value` were over, if it is `broken` by text that begins there; else -1.

    A call that is open there has its name and arguments, and a line ends between it and the text, in which no bracket
    closes anything up to `end`; no object begins there either.
    """
    reader, call, at = value.reader, course.builder.call, broken.at
    if value.plain or value.host is not None or reader.passing or reader.expect is not Expect.COMMA_OR_END:
        return -1
    text = course.raw(at, end)
    if not reader.called or _SENTENCE(text) is None or '{"' in text:
        return -1
    before = course.raw(value.kept, at)
    over = at - len(before) + len(before.rstrip())
    if call is not None and (not call.whole or "\n" not in course.raw(over, at) or "}" in text):
        return -1
    if item_after(value, course, at, end) >= 0:
        return -1
    try:
        Mender(reader, "", over, value.note).close(over)
    except Broken:
        return -1
    return over
