"""Markers and terminals: the edges of what stands between texts, and what may be wrong there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolect._graph.expectations import in_words
from toolect._graph.misspelling import MORE, near
from toolect._graph.needle import echo_regex, fixed
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_LEXEME, ZERO_WIDTH, may_grow, squeeze
from toolect._graph.symbols import ECHOES, Key, Op, OpCode, Terminal, is_echo
from toolect._message import RepairKind
from toolect._search import json_edges
from toolect._search.actions import (
    Attempt,
    BreakOff,
    EndAnswer,
    Fail,
    ForgetArgument,
    Note,
    OpenString,
    Shift,
    TextBegin,
    Unexpected,
)
from toolect._search.code_state import begin_again, give_up, unrun
from toolect._search.follow import (
    TEXT,
    content_opener,
    empty_values,
    ends_alone,
    last_closers,
    nests,
    reach,
    shaped,
    takes_elements,
    way_to_content,
    way_to_json,
)
from toolect._search.hypothesis import WAIT, Action, Doubt, EdgeContext, Hypothesis, Mode, StringState, Waits
from toolect._search.json_state import Slips
from toolect._search.path import Path, spelled
from toolect._search.window import LOOK, Window
from toolect._spec.model import Role

_FENCE: Final = re.compile(r"```\w{0,16}\s*(?=[{\[<])")
_ESCAPED_BLANK: Final = re.compile(r"(?:\\[nrt]\s*)+")
_CLOSING_TAG: Final = re.compile(r"</[\w:|.-]{1,40}>")
"""Matches the closer of an element that no dialect may have."""
GROWS: Final = 16
_FENCED: Final = 24
"""Characters of a fence and what it begins with."""
_SHORT: Final = 40
_SYMBOLS: Final = 4
_SOON: Final = 48
_NO_MARKER: Final = 64
_CALLED: Final = re.compile(r"([^\s()\[\]{}<>\"'`]{1,128})\(")
"""What is called by a name that no grammar has for one."""
_WHOLE: Final = re.compile(r"""(["'`])(?:[^"'`\\\n]|\\.){0,200}\1\s{0,64}[,}]""")
_OBJECT: Final = re.compile(r"\[?\s*\{")
_NAMED: Final = re.compile(r"[A-Za-z_][\w-]{0,63}\s?=")
_VALUES: Final = (Role.VALUE, Role.JSON)
_SIGNS: Final = "}],;\"'>`" + ZERO_WIDTH
_VALUE_SIGNS: Final = "{[\"'"
"""What no text without quotes begins with where a value may begin with it."""
_CLOSING_SIGNS: Final = ",:)]}>"
_PAIR_SIGNS: Final = {"=": re.compile(r":=?(?!:)"), ":": re.compile(r"=>?(?!=)")}
"""What stands between a key and its value, and what other languages have there."""

Found = list[Hypothesis] | Waits


def expand(window: Window, one: Hypothesis, final: bool) -> Found:
    """The hypotheses that follow one between texts; its state is what the last marker may write behind itself."""
    buf, base, node, context = window.buf, window.base, one.node, one.context
    at = one.pos - base
    if node.text:
        return _before_text(window, one, at, final)
    if node.escaped:
        if one.state and buf.startswith(one.state, at):
            at += len(one.state)
        string = window.stay(
            one, 0, base + at, Mode.STRING, StringState(base + at, base + at, base + at), OpenString(node, base + at)
        )
        last = last_marker(one)
        if last is None or not buf.startswith(last, at):
            return WAIT if last is not None and not final and last.startswith(buf[at:]) else [string]
        note = Note(RepairKind.STRAY_MARKER, base + at, last)
        return [window.stay(one, window.costs.doubled, base + at + len(last), Mode.BETWEEN, "", note), string]
    begins = window.graph.network.spec.comments and _begins_terminal(window, node, at)
    at = window.after_blanks(at) if begins else after_comments(window, at, final)
    if at < 0 or at == len(buf) and not final:
        return WAIT
    if at == len(buf):
        dropped = context.call is not None and isinstance(one.action.last, Note)
        cost = window.costs.swallowed if dropped and not ends_alone(node) else 0
        if cost and context.name in window.tools:
            cost += window.costs.fits_long
        last = last_marker(one)
        if context.doubt & (Doubt.PROSE | Doubt.MISSPELT) and not context.doubt & Doubt.ARGUED:
            cost += window.costs.in_sentence
        elif last in window.graph.ends:
            cost += window.costs.swallowed
        elif last is not None and context.call is None and (last.isalpha() or last.startswith("```")):
            # it is a word at the end of a sentence, or of a block of code
            cost += window.costs.swallowed
        return [window.stay(one, cost, base + at, Mode.END, "", EndAnswer(node, base + at))]
    empty = empty_values(node) if one.spare is None and context.call is not None else {}
    if empty and (context.key is not None or buf[at] in empty):
        one.spare = json_edges.spare(window, one, base + at, empty.get(buf[at]) or empty.get("") or ())
    fit = expected(window, one, at, final)
    if isinstance(fit, Waits):
        return WAIT
    if fit is not None and node.value and fit.node.escaped and ":" in node.marks and "}" in node.marks:
        return _glued(window, one, fit, at, final)
    return [fit] if fit is not None else _troubles(window, one, at, final)


def last_marker(one: Hypothesis) -> str | None:
    """The marker that was read last, if nothing came after it: it is noticed where it stands twice."""
    act = one.action.last
    if isinstance(act, Shift) and isinstance(act.key, str) and len(act.key.strip()) > 1:
        return act.key
    return None


def _before_text(window: Window, one: Hypothesis, at: int, final: bool) -> Found:
    """A text slot comes, or what may stand in its place."""
    buf, base, node = window.buf, window.base, one.node
    size, begin = len(buf), window.after_blanks(at)
    if node.json and node.text_field().role not in (Role.CONTENT, None):
        if begin == size and not final:
            return WAIT
        if not final and "```".startswith(buf[begin : begin + 3]) and size - begin < _FENCED:
            return WAIT
        if buf[begin : begin + 1] in ("{", "[") or _FENCE.match(buf, begin) is not None:
            return [json_edges.begin(window, one, 0, base + begin, window.path(one), bare=False)]
    elif node.value and any(buf.startswith(sign, begin) for sign in _VALUE_SIGNS if sign in node.marks):
        fit = expected(window, one, begin, final)
        if fit is not None:
            return WAIT if isinstance(fit, Waits) else [fit]
    elif node.value and begin == size and not final:
        return WAIT
    elif (nests(node) or node.value and node.text_field().role is Role.STRING) and (begin < size or not final):
        after = node.step(TEXT).node
        begins = begin == size or any(core[0] == buf[begin] for core in (*node.marks, *after.marks))
        if begins and not final and size - begin < after.longest + _NO_MARKER:
            window.needs(base + begin + after.longest + 64)
            return WAIT
        match = node.struct.match(buf, begin)
        end = -1 if match is None else match.end()
        words = (spelled(core, one.context) for core in after.marks)
        if not any(buf.startswith(word, begin) and len(word) > end - begin for word in words):
            fit = expected(window, one, begin, final) if begin < size else None
            if isinstance(fit, Waits):
                return WAIT
            if fit is not None and not _is_longer(window, fit):
                return [fit]
    elif node.patterns and _beside_content(one) and (begin < size or not final):
        led = _argument(window, one, begin, final)
        if led is not None:
            return led
    return _begin_text(window, one, at, final)


def _is_longer(window: Window, fit: Hypothesis) -> bool:
    """True when what a value was to begin with is only the beginning of a word."""
    act, at = fit.action.last, fit.pos - window.base
    if not isinstance(act, Shift) or not isinstance(act.key, str) or not act.key[-1].isalnum():
        return False
    return window.buf[at : at + 1].isalnum() or window.buf[at : at + 1] == "_"


def _beside_content(one: Hypothesis) -> bool:
    """True where content may come, and a call is open that nothing closes."""
    return one.context.call is not None and one.node.text_field().role is Role.CONTENT


def _argument(window: Window, one: Hypothesis, at: int, final: bool) -> Found | None:
    """The next argument of the open call, where a text may come as well: its key, and what follows that."""
    fit = expected(window, one, at, final) if at < len(window.buf) else WAIT
    if fit is None or isinstance(fit, Waits):
        return fit
    act = fit.action.last
    if not isinstance(act, Shift) or isinstance(act.key, str) or fit.context.key is None:
        return None
    end = window.after_blanks(fit.pos - window.base)
    if end == len(window.buf):
        return None if final else WAIT
    sure = goes_on(window, fit.node, fit.context, end, final)
    return WAIT if isinstance(sure, Waits) else [fit] if sure else None


def _begin_text(window: Window, one: Hypothesis, at: int, final: bool) -> Found:
    """A text begins, after what is written before it."""
    buf, base, node, size = window.buf, window.base, one.node, len(window.buf)
    blanks = one.state + node.choices[TEXT][0].expects
    end = done = 0
    while done < len(blanks) and at + end < size:
        char = buf[at + end]
        if char == blanks[done]:
            end += 1
        elif blanks[done] == "\n" and buf.startswith("\r\n", at + end):
            end += 2
        else:
            break
        done += 1
    at += end
    if not final and (at == size and done < len(blanks) or at + 1 == size and buf[at] == "\r"):
        return WAIT
    state = window.begin_text(node, one.context, base + at)
    text = window.stay(one, 0, base + at, Mode.TEXT, state, TextBegin(node, base + at))
    last = last_marker(one)
    role = node.text_field().role
    if last is None or role in (Role.CONTENT, None) or len(last) < STRONG and _admits_text(window, one.context):
        return [text]
    if last in node.step(TEXT).node.marks and role is not Role.ARGUMENTS:  # the text may be empty
        return [text]
    again = window.after_blanks(at)
    if not final and size - again < len(last) and last.startswith(buf[again:]):
        return WAIT
    if not buf.startswith(last, again):
        return [text]
    text.cost += window.costs.doubled
    note = Note(RepairKind.STRAY_MARKER, base + again, last)
    trail = one.action.last.step.trail if isinstance(one.action.last, Shift) else ""
    return [window.stay(one, window.costs.doubled, base + again + len(last), Mode.BETWEEN, trail, note), text]


def _admits_text(window: Window, context: EdgeContext) -> bool:
    """True unless the open argument is declared, and is no text."""
    schema = window.tools.of(context.name).member(context.key or "") if context.name in window.tools else None
    return schema is None or "string" in schema.types


def after_comments(window: Window, at: int, final: bool) -> int:
    """The index after blanks and comments; -1 where more text is needed."""
    buf = window.buf
    at = window.after_blanks(at)
    for opener, closer in window.graph.network.spec.comments.items():
        if buf.startswith(opener, at):
            end = buf.find(closer, at + len(opener))
            if end < 0:
                return len(buf) if final else -1
            return after_comments(window, end + (len(closer) if closer.strip() else 0), final)
    return at


# What the grammar has


def expected(window: Window, one: Hypothesis, at: int, final: bool) -> Hypothesis | Waits | None:
    """The hypothesis that follows by what the grammar has at index `at`."""
    buf, base, node, context, size = window.buf, window.base, one.node, one.context, len(window.buf)
    end, core = marker(node, context, buf, at)
    if end >= 0 and len(core) < STRONG and core not in window.graph.starts and not node.value:
        longer = _longer(node)[core]
        if buf.startswith(longer, at) and not _declared(window, node.step(core).node, context.name, end):
            return None
        if not final and any(size - at < len(word) and word.startswith(buf[at:]) for word in longer):
            return WAIT
    for echo in node.echoes if not is_echo(core) else ():
        if len(fixed(echo)) > end - at and squeeze(buf[at : at + LOOK]).startswith(fixed(echo)):
            open_ended = not final and size - at < LOOK and echo_regex(echo).match(buf, at) is None
            return WAIT if open_ended else None
    if not final:
        if size - at < LOOK:
            tail = squeeze(buf[at:])
            words = (*node.made(_tight), *(squeeze(spelled(echo, context)) for echo in node.echoes))
            if sizes := [len(word) for word in words if len(word) > len(tail) and word.startswith(tail)]:
                window.needs(base + at + min(sizes))
                return WAIT
        if end == size and core and core[-1].isalnum():
            return WAIT
    glued: bool | Waits = False  # a terminal right behind the marker makes one word of both
    if end >= 0 and node.patterns and core[-1].isalnum() and not (step := node.step(core)).trail and step.node.patterns:
        glued = names_call(window, step.node, end, final)
        if isinstance(glued, Waits):
            return WAIT
    costs, inside = window.costs, bool(context.doubt & Doubt.INSIDE)
    terminals = node.patterns if len(node.patterns) < 2 else _likeliest(window, node, at, final)
    if isinstance(terminals, Waits):
        return WAIT
    for name, regex in terminals:
        match = regex.match(buf, at, at + MAX_LEXEME)
        found = match is not None and match.end() > at
        ends = match is not None and found and match.end() == size
        if not final and size - at < MAX_LEXEME and (ends or may_grow(name.regex, buf, at, size)):
            return WAIT
        if match is None or not found:
            continue
        if end >= 0 and (glued or not (core[-1].isalnum() and match.end() > end)):
            continue
        if not node.value:
            starts = window.graph.starts
            if buf.startswith(starts, at):
                continue
            if not final and size - at < _SHORT and any(start.startswith(buf[at:]) for start in starts):
                return WAIT
        after = match.end()
        if node.naming(name) and window.tools.declared and match[0] not in window.tools:
            to = node.step(name).node
            key = _key_in_name(window, to, match[0], at)
            if key and not final and size - after < LOOK:
                return WAIT
            if key and any(True for core in to.marks for _ in _names_before_more(window, to.step(core).node, key)):
                after = key
        path = window.path(one).shift(name, base + at, base + after, buf[at:after])
        cost = 0 if inside else costs.fits
        if node.naming(name) and not context.name and path.context.name:
            act = one.action.last
            if isinstance(act, Shift) and isinstance(act.key, str) and len(act.key.strip()) >= STRONG:
                said = Doubt.NONE if window.raw(act.end, base + at) in act.step.trails else Doubt.PROSE
                path.doubt(path.context.doubt & (~(Doubt.GLUED | Doubt.PROSE) | said))  # no code has that
            led = not context.opener and isinstance(act, Shift) and act.node.named(act.key)
            if led and path.node.json:
                if not final and buf[after:] in ("", "\n"):
                    return WAIT
                led = not buf.startswith(("{", "\n{"), after)
            cost += window.name_cost(path.context, led)
        return window.make(one, cost, base + after, Mode.BETWEEN, "", path)
    if node.patterns and not final and size - at < GROWS and end < 0:
        return WAIT
    if end >= 0 and node.json and core == "{":
        if window.after_blanks(end) == size and not final:
            return WAIT
        end = end if _begins_terminal(window, node.step(core).node, end) else -1
    if end >= 0:
        cost = 0 if inside else costs.fits_long if len(core) >= STRONG else costs.fits
        return shift(window, one, cost, core, at, end, window.path(one))
    last = last_marker(one) if node.json else None
    if last is not None and not final and size - at < len(last) and last.startswith(buf[at:]):
        return WAIT
    alone = node.json and name_alone(window, one)
    if alone and not final and buf[at] == "[" and not buf[at + 1 :].strip():
        return WAIT
    begins = _OBJECT.match(buf, at) is not None if alone else node.json and _begins_json(node, buf[at])
    if begins and not (last is not None and buf.startswith(last, at)):
        cost = 0 if inside or node.value else costs.fits
        fenced = last is not None and last.startswith("```") and shaped(node)  # any JSON stands in one
        return json_edges.begin(window, one, cost, base + at, window.path(one), bare=fenced)
    return None


def _likeliest(window: Window, node: Node, at: int, final: bool) -> Sequence[tuple[Terminal, re.Pattern[str]]] | Waits:
    """The terminals of `node`; of several that match at index `at`, the first one after which the grammar goes on."""
    buf, size = window.buf, len(window.buf)
    found = [(one, match.end()) for one in node.patterns if (match := one[1].match(buf, at, at + MAX_LEXEME))]
    if window.graph.network.spec.names:  # the one of a declared tool is longer than what else it may begin as
        near = not final and size - at < MAX_LEXEME
        if near and any(may_grow(name.regex, buf, at, size) for name, _ in node.patterns):
            return WAIT
        found.sort(key=lambda one: -one[1])
    for one, end in found if len(found) > 1 else ():
        after, end = node.step(one[0]).node, window.after_blanks(end)
        if not final and len(buf) - end < max(after.longest, 1):
            return WAIT
        if end == size or after.text or after.json or after.struct.match(buf, end) is not None:
            return [one]
        if any(regex.match(buf, end, end + MAX_LEXEME) for _, regex in after.patterns):
            return [one]
    return node.patterns


def _declared(window: Window, node: Node, name: str, at: int) -> bool:
    """True when the key at index `at`, which `node` has, is that of an argument that the tool `name` declares."""
    if name not in window.tools:
        return False
    matches = (regex.match(window.buf, at, at + MAX_LEXEME) for _, regex in node.patterns)
    return any(match is not None and match[0] in window.tools.of(name).names for match in matches)


def goes_on(window: Window, node: Node, context: EdgeContext, at: int, final: bool) -> bool | Waits:
    """True when the grammar has what comes at index `at`, up to the next text, the end of the call, or some symbols."""
    base, size = window.base, len(window.buf)
    one = Hypothesis(0, base + at, -1, node, Mode.BETWEEN, "", context, Action(None, ()))
    for symbols in range(_SYMBOLS):
        node = one.node
        if node.text or node.escaped or symbols and node.over:
            break
        at = one.pos - base
        begins = window.graph.network.spec.comments and _begins_terminal(window, node, at)
        at = window.after_blanks(at) if begins else after_comments(window, at, final)
        if at < 0 or at == size:
            return final or WAIT
        found = expected(window, one, at, final)
        if found is None or isinstance(found, Waits):
            return WAIT if found is not None else False
        act = found.action.last
        if (
            not symbols
            and not (isinstance(act, Shift) and isinstance(act.key, str))
            or found.node.escaped
            and not symbols
        ):
            return False  # a word, or another quote
        one = found
        if one.mode is not Mode.BETWEEN:
            break
    return True


def marker(node: Node, context: EdgeContext, buf: str, at: int) -> tuple[int, str]:
    """Where the longest marker of `node` at index `at` ends, and which one it is; -1 for none."""
    match = node.struct.match(buf, at)
    end, core = (-1, "") if match is None else (match.end(), match[0])
    if match is not None and core not in node.marks:
        tight = squeeze(core)
        core = next(mark for mark in node.marks if squeeze(mark) == tight)
    for echo in node.echoes:
        word = spelled(echo, context)
        if buf.startswith(word, at) and len(word) > end - at:
            end, core = at + len(word), echo
    return end, core


def echo_end(window: Window, echo: str, context: EdgeContext, at: int) -> int:
    """Where a marker at index `at` ends that repeats a name, which may have another prefix, or a key; -1 for none."""
    word = spelled(echo, context)
    if window.buf.startswith(word, at):
        return at + len(word)
    match = echo_regex(echo).match(window.buf, at)
    if match is None:
        return -1
    said, called = squeeze(match[1]), window.tools.called
    if ECHOES[Role.KEY] in echo:
        return match.end() if said == squeeze(context.key or "") else -1
    return match.end() if called(said) == called(squeeze(context.name)) else -1


def _begins_terminal(window: Window, node: Node, at: int) -> bool:
    """True when a terminal of `node` is at index `at`, after blanks."""
    at = window.after_blanks(at)
    matches = (regex.match(window.buf, at, at + MAX_LEXEME) for _, regex in node.patterns)
    return any(match is not None and match.end() > at for match in matches)


def _longer(node: Node) -> dict[str, tuple[str, ...]]:
    """The markers of the dialect that begin with a short one of `node` and cannot come there."""
    return node.made(_find_longer)


def _find_longer(node: Node) -> dict[str, tuple[str, ...]]:
    starts = [start for start in node.graph.starts if start not in node.marks]
    return {
        core: tuple(start for start in starts if len(start) > len(core) and start.startswith(core))
        for core in node.marks
        if len(core) < STRONG
    }


def _tight(node: Node) -> tuple[str, ...]:
    """The markers of a node without blanks."""
    return tuple(squeeze(mark) for mark in node.marks if not is_echo(mark))


def _begins_json(node: Node, char: str) -> bool:
    """True when the JSON of `node` may begin with a character."""
    if char in '{["｛［':
        return True
    return node.json_field().role in _VALUES and (char.isdigit() or char in "-tfn")


def shift(
    window: Window, one: Hypothesis, cost: int, core: Key, at: int, end: int, path: Path, wrong: bool = False
) -> Hypothesis:
    """The hypothesis after the marker `core` at indices `at:end`, at the end of a path."""
    base, before, node = window.base, path.context, path.node
    trail = node.step(core).trail
    path.shift(core, base + at, base + end, "", wrong)
    doubt = before.doubt
    if doubt & ~Doubt.INSIDE and (before.call is not None and path.context.call is None or node.over):
        if doubt & Doubt.PROSE and not doubt & Doubt.ARGUED and before.name not in window.tools:
            cost += window.costs.in_sentence
        path.doubt(path.context.doubt & Doubt.INSIDE)
    return window.make(one, cost, base + end, Mode.BETWEEN, trail, path)


def _glued(window: Window, one: Hypothesis, fit: Hypothesis, at: int, final: bool) -> Found:
    """In an object a string follows another one: it is the value, and the colon is missing, or the two are one."""
    if not final and len(window.buf) - at < 2 * LOOK:
        window.needs(window.base + at + 2 * LOOK)
        return WAIT
    if _WHOLE.match(window.buf, at, at + 2 * LOOK) is None:
        return [fit]
    path = window.path(one).imply((":",), window.base + at)
    fit.cost += window.costs.swallowed
    return [window.make(one, window.costs.sign_missing, window.base + at, Mode.BETWEEN, "", path), fit]


# What may be wrong


def _troubles(window: Window, one: Hypothesis, at: int, final: bool) -> Found:
    """Nothing that the grammar has is at index `at`: every edge that leads on."""
    buf, base, node, context, graph = window.buf, window.base, one.node, one.context, window.graph
    place, left, ways = base + at, len(buf) - at, reach(node)
    if not final and left < LOOK:
        window.needs(place + LOOK)
        return WAIT
    cut = [c for c in ways if len(c) >= STRONG and _cut(spelled(c, context), buf, at)] if left < _NO_MARKER else []
    open_ended = node.over or node.done is not None or node.text
    if (
        cut
        or not open_ended
        and left < MAX_LEXEME
        and any(may_grow(name.regex, buf, at, at + left) for name, _ in node.patterns)
    ):
        inner = node.step(cut[0]).node if cut and cut[0] in node.marks and node.first(cut[0]) else node
        notes = [Note(RepairKind.STRAY_MARKER, place, buf[at:])] if cut and context.call is None else []
        return [window.stay(one, 0, place + left, Mode.END, "", *notes, EndAnswer(inner, place))]
    found = json_edges.woken(window, one, place)
    for end in graph.ends:
        if buf.startswith(end, at):
            last = one.action.last
            goes_on = isinstance(last, Shift) and isinstance(last.key, str) and last.key.strip()[-1:] in ",[{(:="
            path = window.path(one).imply(last_closers(node) if context.call and not goes_on else (), place)
            path.add(EndAnswer(path.node, place))
            return [window.make(one, 0, place + len(end), Mode.AFTER, "", path)]
    known = _known(window, at)
    found += _missing_before_marker(window, one, at)
    if known is None:
        near_ones = _misspelt(window, one, at, final)
        if isinstance(near_ones, Waits):
            return WAIT
        found += near_ones
    if not node.value:
        found += _missing_before_slot(window, one, at, known is None)
        found += _other_arguments(window, one, at)
    found += _too_many(window, one, at, known)
    if node.value or context.call is not None or "]" in node.marks:
        found += _missing_signs(window, one, at)
    if known is None and context.statement is None:
        found += _text_after(window, one, at)
    return found + _given_up(window, one, at, known)


def _cut(word: str, buf: str, at: int) -> bool:
    """True when the text ends in the middle of a word that begins at index `at`."""
    return len(word) > len(buf) - at and word.startswith(buf[at:])


def _known(window: Window, at: int) -> str | None:
    """The marker of the dialect at index `at`."""
    graph = window.graph
    words = sorted((*graph.starts, *graph.quotes), key=len, reverse=True)
    return next((word for word in words if window.buf.startswith(word, at)), None)


def _missing_before_marker(window: Window, one: Hypothesis, at: int) -> list[Hypothesis]:
    """The longest marker here that could come if something before it were not missing."""
    buf, base, node, context = window.buf, window.base, one.node, one.context
    ways = reach(node)
    for core in sorted(ways, key=len, reverse=True):
        word = spelled(core, context)
        if not word or not buf.startswith(word, at):
            continue
        first = ways[core][0].path
        short = any(len(key) < STRONG for key in first if isinstance(key, str))
        if node.value and len(core) < STRONG and not is_echo(core) and not short:
            continue
        found = []
        for way in ways[core]:
            if way.path:
                path = window.path(one).imply(way.path, base + at, way.node.calling(core))
                found.append(shift(window, one, way.cost, core, at, at + len(word), path))
        return found
    return []


def _misspelt(window: Window, one: Hypothesis, at: int, final: bool) -> Found:
    """A marker of the grammar spelled otherwise."""
    costs, node, found, openers = window.costs, one.node, list[Hypothesis](), window.graph.long_openers
    again = one.context.doubt & Doubt.MISSPELT  # the openers around it are, too
    for core, wrong in node.marks.items() if not node.escaped else ():
        if not wrong and core in _PAIR_SIGNS and (sign := _PAIR_SIGNS[core].match(window.buf, at)):
            found.append(shift(window, one, costs.misspelt, core, at, sign.end(), window.path(one), wrong=True))
        if wrong or len(core) < 2 or node.value and core.isalpha():
            continue
        edits, end = 0, echo_end(window, core, one.context, at) if is_echo(core) else -1
        if end < 0:
            edits, end = near(spelled(core, one.context), window.buf, at, final)
        if end == MORE and not final:
            return WAIT
        opens = core not in openers and window.buf.endswith(openers, at + 1, max(end, at + 1))
        if end > at and not opens:
            cost = (costs.near_in_text if again else costs.misspelt) * edits if edits else costs.respaced
            found.append(shift(window, one, cost, core, at, end, window.path(one), wrong=True))
    return found


def _key_in_name(window: Window, node: Node, said: str, at: int) -> int:
    """Where a key begins in a name at index `at`, which is that of a declared tool together with one of its keys.

    0 where it is not: the opener of a key is missing there.
    """
    tools = window.tools
    tool = next((one for one in tools.by_name if said.startswith(one) and said[len(one) :] in tools.of(one).names), "")
    return at + len(tool) if tool and takes_elements(node) else 0


def _missing_before_slot(window: Window, one: Hypothesis, at: int, unknown: bool) -> list[Hypothesis]:
    """JSON, a terminal, or the text of a value, markers before it missing."""
    buf, base, node, costs, found = window.buf, window.base, one.node, window.costs, list[Hypothesis]()
    context = one.context
    if buf[at] in "{[" and (way := way_to_json(node)) is not None and way.path:
        first = way.path[0]
        path = window.path(one).imply(way.path, base + at, first in node.marks and node.calling(first))
        found.append(json_edges.begin(window, one, way.cost + 1, base + at, path, bare=False))
    named = _named(one) and not name_alone(window, one)
    if unknown and node.json and not node.text and named and not _begins_json(node, buf[at]):
        found.append(json_edges.begin(window, one, 0, base + at, window.path(one), bare=False))
    if unknown and context.key is not None and isinstance(core := node.sole, str) and node.step(core).node.text:
        begun = next((n for n in (2, 1) if len(core) < STRONG and buf.startswith(core[:n], at)), 0)
        path = window.path(one).imply((core,), base + at)
        found.append(window.make(one, costs.implied_opener, base + at + begun, Mode.BETWEEN, "", path))
    for core, wrong in node.marks.items() if unknown else ():
        if wrong or len(core) < STRONG:
            continue
        for name, match in _names_before_more(window, node.step(core).node, at):
            path = window.path(one).imply((core,), base + at)
            path.shift(name, base + at, base + match.end(), match[0])
            found.append(window.make(one, costs.implied_opener, base + match.end(), Mode.BETWEEN, "", path))
    return found


def _names_before_more(window: Window, node: Node, at: int) -> Iterator[tuple[Terminal, re.Match[str]]]:
    """The terminals of `node` at index `at` that go on as the grammar has it."""
    buf = window.buf
    for name, regex in node.patterns:
        match = regex.match(buf, at, at + MAX_LEXEME)
        if match is not None and match.end() > at:
            after, end = node.step(name).node, window.after_blanks(match.end())
            if after.struct.match(buf, end) or after.json and buf[end : end + 1] == "{":
                yield name, match


def names_call(window: Window, node: Node, at: int, final: bool) -> bool | Waits:
    """True when a name stands at index `at` behind the opener of a call, and goes on as one does."""
    buf, at = window.buf, window.after_blanks(at)
    for name, regex in node.patterns if not final else ():
        match, to = regex.match(buf, at, at + MAX_LEXEME), node.step(name).node
        end = (
            len(buf) if match is None and at == len(buf) else window.after_blanks(at if match is None else match.end())
        )
        if end == len(buf) or match is not None and len(buf) - end < to.longest:
            return WAIT
        if len(buf) - at < MAX_LEXEME and may_grow(name.regex, buf, at, len(buf)):
            return WAIT
    return any(True for _ in _names_before_more(window, node, at))


def _other_arguments(window: Window, one: Hypothesis, at: int) -> list[Hypothesis]:
    """The open argument has no value, or an object stands here that has all arguments."""
    buf, place, node, context, costs = window.buf, window.base + at, one.node, one.context, window.costs
    home = context.argument
    keyed = context.key and isinstance(one.action.last, Shift)
    if (
        home is not None
        and keyed
        and takes_elements(home)
        and not node.made(_ends_argument)
        and home.struct.match(buf, at)
    ):
        path = Path(home, context._replace(key=None, argument=None), window.ref).add(ForgetArgument(place))
        return [window.make(one, costs.no_arguments, place, Mode.BETWEEN, "", path)]
    if not _named(one) or context.key is not None or not takes_elements(node):
        return []
    fence = _FENCE.match(buf, at)
    start = at if fence is None else fence.end()
    return (
        [json_edges.wrapped(window, one, costs.implied_opener, window.base + start)]
        if buf[start : start + 1] == "{"
        else []
    )


def _ends_argument(node: Node) -> bool:
    """True when an argument whose value is complete may end with the next marker."""
    tasks = (task for core in node.marks for task, _ in node.step(core).tasks)
    return any(isinstance(task, Op) and task.code is OpCode.END_ARGUMENT for task in tasks)


def _named(one: Hypothesis) -> bool:
    """True when a call is open that has its name: all that is missing is a value."""
    return one.context.call is not None and bool(one.context.name)


def name_alone(window: Window, one: Hypothesis) -> bool:
    """True when nothing but its name says that a call is open: an object has to follow."""
    call, name, begun = one.context.call, one.context.name, one.context.begun
    if call is None or one.context.key is not None or not (call.patterns and name):
        return False
    if begun and window.raw(begun - 1, begun) != "\n":
        return False
    return window.raw(begun, begun + len(name)) == name


def _too_many(window: Window, one: Hypothesis, at: int, known: str | None) -> list[Hypothesis]:
    """Something here is too many."""
    buf, place, node, costs, found = window.buf, window.base + at, one.node, window.costs, list[Hypothesis]()

    def drop(cost: int, size: int, kind: RepairKind, detail: str) -> None:
        found.append(window.stay(one, cost, place + size, Mode.BETWEEN, "", Note(kind, place, detail)))

    last, char = last_marker(one), buf[at]
    if last is not None and buf.startswith(last, at) and not node.value:
        drop(costs.doubled, len(last), RepairKind.STRAY_MARKER, last)
    elif known is not None and known in window.graph.long_openers:
        meant = window.tools.declared and window.names.match(buf, at + len(known)) is not None
        cost = costs.marker_in_content + (costs.swallowed if meant else 0)
        drop(cost, len(known), RepairKind.STRAY_MARKER, known)
    elif known is not None:
        inside = costs.swallowed if one.context.doubt & Doubt.INSIDE else 0
        again = buf[at + len(known) : at + LOOK].lstrip().startswith(window.graph.long_openers)
        empty = known in window.graph.closers and not again and _opened(window, one)  # it is an attempt
        drop(costs.stray_marker + inside + costs.skip * empty, len(known), RepairKind.STRAY_MARKER, known)
    elif closer := None if node.value or node.json or one.context.key is not None else _CLOSING_TAG.match(buf, at):
        drop(costs.stray_marker + 1, closer.end() - at, RepairKind.STRAY_MARKER, closer[0])  # it may be misspelt
    elif char in _SIGNS and not node.value:
        kind = RepairKind.JSON if char in "}],;" else RepairKind.STRAY_MARKER
        drop(costs.stray_sign, 1, kind, f"`{char}` too many")
    fence = _FENCE.match(buf, at)
    if fence is not None and node.json and not node.text:
        path = window.path(one).add(Note(RepairKind.JSON, place, fence[0]))
        found.append(json_edges.begin(window, one, costs.json_fence, window.base + fence.end(), path, bare=False))
        found[-1].state.styles |= Slips.FENCED
    elif match := fence or (None if node.value else _ESCAPED_BLANK.match(buf, at)):
        drop(costs.json_fence, match.end() - at, RepairKind.JSON, match[0])
    if char == "," and node.value:
        drop(costs.json_drop, 1, RepairKind.JSON, "a comma too many")
    elif char == "=" and node.value and buf[at - 1 : at] == ":":
        drop(costs.misspelt, 1, RepairKind.MISSPELLED_MARKER, ":=")
    return found


def _missing_signs(window: Window, one: Hypothesis, at: int) -> list[Hypothesis]:
    """A bracket or comma of a value language, or a short sign of a call, is missing."""
    buf, base, node, costs, found = window.buf, window.base, one.node, window.costs, list[Hypothesis]()
    for core, wrong in node.marks.items():
        if wrong or len(core) >= STRONG or is_echo(core):
            continue
        if node.step(core).trail[:1] == "\n" and "\n" in buf[one.pos - base : at] and node.step(core).node.text:
            path = window.path(one).imply((core,), one.pos)  # its line ends as it would after the sign
            new = window.make(one, costs.sign_missing, one.pos, Mode.BETWEEN, node.step(core).trail, path)
            found.append(new)
            continue
        if core[0] not in _CLOSING_SIGNS:
            continue
        to = node.step(core).node
        listed = "]" in node.marks
        if (to.text or to.coding is not None and not listed) and "\n" not in buf[max(one.pos - base, 0) : at]:
            continue  # a call or statement that is over, and what follows stands in its line
        fits = to.struct.match(buf, at) or any((m := regex.match(buf, at)) and m.end() > at for _, regex in to.patterns)
        if fits:
            glued = core[0] == "," and at > 0 and buf[at - 1] in "\"'"
            path = window.path(one).imply((core,), base + at)
            cost = costs.swallowed if glued else costs.sign_missing
            found.append(window.make(one, cost, base + at, Mode.BETWEEN, "", path))
    return found


def _text_after(window: Window, one: Hypothesis, at: int) -> list[Hypothesis]:
    """Text comes, and the closers before it are missing."""
    buf, base, node, costs, found = window.buf, window.base, one.node, window.costs, list[Hypothesis]()
    if buf[at] in "{[":
        return []
    begun = (len(core) >= STRONG and buf.startswith(core[:STRONG], at) for core in node.marks)
    if one.context.call is not None and any(begun):
        return []
    act = one.action.last
    if isinstance(act, Shift) and act.node.naming(act.key) and _NAMED.match(buf, at):
        return []  # it is an argument, however written
    if keys := way_to_content(node):
        cost = costs.implied_closer * (1 + len(keys))
        ends = [end for key in keys if (end := buf.find(key, at, at + LOOK)) >= 0]
        if ends and not any(buf.find(opener, at, min(ends)) >= 0 for opener in window.graph.long_openers):
            cost += costs.swallowed  # it stands in the call
        if any(len(key) < STRONG for key in keys):  # and may be one of a text
            cost += costs.swallowed
        if len(keys) > 1 and isinstance(one.action.last, Shift | Note) and not buf[at - 1 : at].isspace():
            cost += costs.swallowed  # the closer right before it may be one of the value's own
        place = one.pos if one.context.doubt & Doubt.NO_OPENERS else base + at  # blanks after no marker are text
        found.append(window.make(one, cost, place, Mode.BETWEEN, "", window.path(one).imply(keys, place)))
    return found


def _given_up(window: Window, one: Hypothesis, at: int, known: str | None) -> list[Hypothesis]:
    """The open call was broken off by another one, or nobody knows."""
    buf, place, node, context, costs, graph = (
        window.buf, window.base + at, one.node, one.context, window.costs, window.graph,
    )  # fmt: skip
    found = list[Hypothesis]()
    opens = known is not None and known in graph.long_openers
    call = context.call
    if call is not None and (opens or any(len(c) >= STRONG and buf.startswith(c, at) for c in call.marks)):
        path = Path(
            graph.start if opens else call, EdgeContext(statement=None if opens else context.statement), window.ref
        )
        path.add(Fail(f"expected {in_words(node)}, and another call begins - at {place}"), BreakOff(place))
        found.append(window.make(one, costs.break_off, place, Mode.BETWEEN, "", path))
    act = one.action.last
    if call is not None and isinstance(act, Shift) and context.name == act.text != "" and not act.node.naming(act.key):
        ends = Fail(f"it is written again - at {act.start}")
        found.append(begin_again(window, one, costs.break_off - 2, act.start, ends))
    closes = known is not None and not opens and known in graph.closers
    tool = None if context.name or closes or not _opened(window, one) else window.named_near(at)
    if tool is None and call is None and context.opener in graph.long_openers and (odd := _CALLED.match(buf, at)):
        tool = odd[1]
    if tool is not None:
        path = Path(node, context._replace(call=call or node, name=tool), window.ref).add(Attempt(node, place, tool))
        found.append(window.make(one, costs.no_arguments, place, Mode.SKIPPED, (False, place), path))
    if call is not None:
        soon = not opens and any(buf.find(core, at, at + _SOON) >= 0 for core in graph.long_openers)
        cost = costs.break_off if soon else window.skip_cost(one)
        path = window.path(one)
        if context.statement is not None:
            path.add(Fail(f"expected {in_words(node)}{unrun(window, context, at)} - at {place}"))
        found.append(give_up(window, one, cost, place, path.add(Unexpected(node, place))))
        return found
    if context.statement is not None:
        return [*found, give_up(window, one, 0, place, window.path(one))]
    note = Note(RepairKind.STRAY_MARKER, place, "text")
    if graph.start.text:
        path = Path(graph.start, EdgeContext(), window.ref).add(Unexpected(node, place), note)
        found.append(window.make(one, costs.skip, place, Mode.BETWEEN, "", path))
    elif opener := content_opener(graph.start):  # nothing that was said is lost
        path = Path(graph.start, EdgeContext(), window.ref).imply((opener,), place)
        found.append(window.make(one, costs.skip, place, Mode.BETWEEN, "", path))
    else:
        found.append(window.stay(one, costs.skip, place + 1, Mode.BETWEEN, "", Unexpected(node, place), note))
    return found


def _opened(window: Window, one: Hypothesis) -> bool:
    """True when an opener of a call was read last."""
    act = one.action.last
    if not isinstance(act, Shift) or not isinstance(act.key, str) or len(act.key) < STRONG:
        return False
    return act.key in window.graph.long_openers or one.context.call is not None
