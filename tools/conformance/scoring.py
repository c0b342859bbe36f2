"""Scores of the corpus: what a dialect read of a case, beside what the case asserts.

A case says what another project's parser gives for a text. That parser is not ours, so some of its answers are our
answer in other words. Each rule below says which words count as the same, and why. Everything else is a difference.

Columns
  calls     Names and arguments, and ids where the case asserts them.
  content   Content and reasoning, modulo outer whitespace. The suites disagree about what whitespace around a call is
            worth, so it must not hide a difference in the words.
  bytes     Content and reasoning byte for byte, and `arguments_raw` as written. Not scored where the suite itself
            compares modulo outer whitespace (`compare`).
  streams   The message is the same to the last detail (spans, statuses, repairs) in whatever chunks the text arrived,
            and the deltas join to it. No suite has a say in this one.
  policies  The case passes, or does under one policy that is not the default, or in strict mode: its project has
            decided otherwise.
  A case passes with its calls and its content. A column is not scored in a case that asserts nothing in it.

Readings
  A case is read complete, in its own chunks (in one piece without them) and by character; each has to pass.
  finished: false     Upstream did not know that the input ends, and has withheld what could still become a marker. So
                      what the events said up to the last chunk and the state after closing both count.
  generation_prompt   is given as `prefix`: both say what the prompt ended with.
  starts_in_reasoning without a generation prompt: `prefix` is the prompt tail that opens reasoning in this dialect.
  template            A template may write reasoning without the opener that its longer prompt ends with. Where a case
                      asserts reasoning, `prefix` may go on with the prompt tail that opens it.
  eos                 Nothing is cut from the text; knowing its end tokens is the dialect's work.
  known_broken        Not scored: upstream calls what it asserts a bug.

Calls
  runnable            Upstream's "no call" is our "no runnable call": we report every attempt, and a malformed or
                      truncated one is not to be run.
  undeclared          A call of a tool that is not declared is one: it is runnable, and validation says that there is no
                      such tool. A case that wants it dropped, or left in the text, fails; it counts as `policies`.
  truncated           Where upstream returns a call that the input's end cut off, our truncated attempt counts as that
                      call: both say the same, and ours warns besides. A malformed attempt never counts as a call.
  numbers             1 and 1.0 are equal, as they are to the suites; true and 1 are not.
  arguments_contains  looks at the arguments in the model's own spelling, in ours, and without spaces: the suites look
                      at what their own serialiser wrote.
  error               Upstream raises; we never do. An attempt that is not runnable, a repair, or no call counts.
  optional_error      is ignored when it was an error upstream, so what else the case asserts or `error` has to hold.

Content
  scope: tools, reasoning_format: none
                      Upstream did not split off reasoning. Content may then be content and reasoning in wire order,
                      with or without the markup around reasoning, and with the opener that the prompt wrote.
                      Of the markup, that around the content may be gone nevertheless.
  scope: reasoning    Upstream read neither calls nor the markup around content. Their wire text is content, with or
                      without the end token, and without a marker that we report as stray.
  prompt              Where the prompt began the reasoning, its words may be reasoning too, and so may its opener where
                      the model has written that once more: we report a stray marker.
  attempts            An attempt that we report as malformed or truncated may be content upstream, or nothing: as `raw`
                      alone, without the markers in it, with its markup, or, when the text holds no runnable call, as
                      the whole text.
  content_contains    is compared modulo outer whitespace, like content.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from toolect._message import Call, Json, Message, dumps
from tools.conformance.cases import Case, Expect, ExpectedCall
from tools.conformance.views import Reading, View, views


@dataclass(frozen=True)
class Score:
    """Scores by column (None: not asserted), and the differences in words."""

    calls: bool | None
    content: bool | None
    bytes: bool | None
    wrong: tuple[str, ...] = ()
    view: View | None = None

    @property
    def passed(self) -> bool:
        """True when calls and content are upstream's."""
        return self.calls is not False and self.content is not False


def score(case: Case, readings: Sequence[Reading]) -> Score:
    """The best score of any view of any of these readings, which are alternatives."""
    scores = (_score_view(case, reading, view) for reading in readings for view in views(case, reading))
    return max(scores, key=lambda s: (s.calls is not False, s.content is not False, s.bytes is not False))


def _score_view(case: Case, reading: Reading, view: View) -> Score:
    expect = case.expect
    if (expect.error or case.optional_error) and _is_error(reading.message):
        return Score(True, None, None, (), view)
    if expect.error:
        return Score(False, None, None, ("upstream raises an error, we found nothing wrong",), view)
    calls = tuple(_wrong_calls(case, reading.message, view))
    text = tuple(_wrong_text(expect, view))
    exact = tuple(_wrong_bytes(case, view))
    return Score(
        not calls if expect.about_calls or case.min_calls else None,
        not text if expect.about_text else None,
        not text and not exact if _about_bytes(case) else None,
        calls + text + exact,
        view,
    )


def _is_error(message: Message) -> bool:
    return not message.runnable or not message.exact


# Calls


def _wrong_calls(case: Case, message: Message, view: View) -> Iterator[str]:
    expect = case.expect
    least = max(case.min_calls, expect.min_calls)
    if len(view.calls) < least:
        yield f"{len(view.calls)} calls, expected at least {least}"
    if expect.calls is not None:
        yield from _wrong_list(expect, view)
    names = {call.name for call in view.calls}
    yield from (f"no call of {name!r}" for name in expect.names_include if name not in names)
    yield from (f"a call of {name!r}" for name in expect.names_not if name in {c.name for c in message.runnable})
    for part, call in product(expect.arguments_not_contains, message.calls):
        if part in call.arguments_text or part in dumps(call.arguments):
            yield f"{part!r} in the arguments of {call.name!r}"


def _wrong_list(expect: Expect, view: View) -> Iterator[str]:
    wanted = expect.calls or []
    if len(view.calls) < len(wanted) or (len(view.calls) > len(wanted) and expect.calls_match != "min"):
        yield f"{len(view.calls)} calls, expected {len(wanted)}"
    for number, (want, call) in enumerate(zip(wanted, view.calls, strict=False)):
        yield from (f"call {number}: {wrong}" for wrong in _wrong_call(want, call))


def _wrong_call(want: ExpectedCall, call: Call) -> Iterator[str]:
    if want.name is not None and want.name != call.name:
        yield f"name {call.name!r}, expected {want.name!r}"
    if want.id is not None and want.id != call.id:
        yield f"id {call.id!r}, expected {want.id!r}"
    if not same_arguments(want, call):
        yield f"arguments {dumps(call.arguments)}, expected ({want.arguments_match}) {dumps(want.arguments)}"
    if want.arguments_raw is not None and not _same_json_text(want.arguments_raw, call.arguments_text):
        yield f"arguments {call.arguments_text}, expected {want.arguments_raw}"
    spellings = (call.arguments_text, dumps(call.arguments), json.dumps(call.arguments, separators=(",", ":")))
    yield from (f"no {part!r} in the arguments" for part in want.arguments_contains if not _in_any(part, spellings))


def _in_any(part: str, spellings: Sequence[str]) -> bool:
    return any(part in spelling for spelling in spellings)


def same_arguments(want: ExpectedCall, call: Call) -> bool:
    """True when the call's arguments match as the case asks."""
    match want.arguments_match:
        case "any":
            return True
        case "subset":
            return contains(call.arguments, want.arguments)
        case "types":
            return bool(_types(call.arguments) == _types(want.arguments))
        case "exact" if isinstance(want.arguments, str):
            return any(want.arguments == said for said in (call.arguments, call.arguments_text))
    return equal(call.arguments, want.arguments)


def equal(a: Json, b: Json) -> bool:
    """True when two JSON values are equal: numbers by value, but true is not 1."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(value, b[key]) for key, value in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def contains(whole: Json, part: Json) -> bool:
    """True when `part` is `whole` but for keys that its objects lack."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(key in whole and contains(whole[key], value) for key, value in part.items())
    return equal(whole, part)


def _types(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _type(item) for key, item in value.items()}
    return _type(value)


def _type(value: Json) -> str:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return "number" if is_number else type(value).__name__


def _same_json_text(a: str, b: str) -> bool:
    """True when two JSON texts say the same, in the same order of keys."""
    try:
        one, other = (json.dumps(json.loads(text)) for text in (a, b))
    except ValueError:
        return a == b
    return one == other


# Text


def _wrong_text(expect: Expect, view: View) -> Iterator[str]:
    for field, got in (("content", view.content), ("reasoning", view.reasoning)):
        want: str | None = getattr(expect, field)
        if want is not None and want.strip() != got.strip():
            yield f"{field} {got!r}, expected {want!r}"
    yield from (f"no {part!r} in the content" for part in expect.content_contains if part.strip() not in view.content)
    yield from (f"{part!r} in the content" for part in expect.content_not_contains if part in view.content)
    yield from (f"no {part!r} in the reasoning" for part in expect.reasoning_contains if part not in view.reasoning)


def _about_bytes(case: Case) -> bool:
    expect = case.expect
    fields = [f for f in ("content", "reasoning") if getattr(expect, f) is not None and not case.stripped(f)]
    return bool(fields) or any(call.arguments_raw is not None for call in expect.calls or ())


def _wrong_bytes(case: Case, view: View) -> Iterator[str]:
    for field, got in (("content", view.content), ("reasoning", view.reasoning)):
        want: str | None = getattr(case.expect, field)
        if want is not None and not case.stripped(field) and want != got and want.strip() == got.strip():
            yield f"bytes of {field} {got!r}, expected {want!r}"
    for expected, call in zip(case.expect.calls or (), view.calls, strict=False):
        if expected.arguments_raw not in (None, call.arguments_text):
            yield f"bytes of arguments {call.arguments_text!r}, expected {expected.arguments_raw!r}"
