"""Grammar edges: the steps that the grammar has where a marker, a terminal or JSON stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolect._graph.needle import echo_regex, fixed
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_LEXEME, may_grow, squeeze
from toolect._graph.symbols import ECHOES, Key, Terminal, is_echo
from toolect._search import json_edges
from toolect._search.actions import (
    Shift,
)
from toolect._search.follow import (
    shaped,
    takes_elements,
)
from toolect._search.hypothesis import WAIT, Action, Doubt, EdgeContext, Hypothesis, Mode, Waits
from toolect._search.path import Path, spelled
from toolect._search.window import LOOK, Window
from toolect._spec.model import Role

GROWS: Final = 16
_SHORT: Final = 40
_SYMBOLS: Final = 4
_OBJECT: Final = re.compile(r"\[?\s*\{")
_VALUES: Final = (Role.VALUE, Role.JSON)


def last_marker(one: Hypothesis) -> str | None:
    """The marker that was read last, if nothing came after it: it is noticed where it stands twice."""
    act = one.action.last
    if isinstance(act, Shift) and isinstance(act.key, str) and len(act.key.strip()) > 1:
        return act.key
    return None


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
            if key and any(True for core in to.marks for _ in names_before_more(window, to.step(core).node, key)):
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
        end = end if begins_terminal(window, node.step(core).node, end) else -1
    if end >= 0:
        cost = 0 if inside else costs.fits_long if len(core) >= STRONG else costs.fits
        return shift(window, one, cost, core, at, end, window.path(one))
    last = last_marker(one) if node.json else None
    if last is not None and not final and size - at < len(last) and last.startswith(buf[at:]):
        return WAIT
    alone = node.json and name_alone(window, one)
    if alone and not final and buf[at] == "[" and not buf[at + 1 :].strip():
        return WAIT
    begins = _OBJECT.match(buf, at) is not None if alone else node.json and begins_json(node, buf[at])
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


def _key_in_name(window: Window, node: Node, said: str, at: int) -> int:
    """The index of a key glued to the name of a declared tool, which the name at index `at` ends with; 0 for none.

    The opener of a key is missing there.
    """
    tools = window.tools
    tool = next((one for one in tools.by_name if said.startswith(one) and said[len(one) :] in tools.of(one).names), "")
    return at + len(tool) if tool and takes_elements(node) else 0


def goes_on(window: Window, node: Node, context: EdgeContext, at: int, final: bool) -> bool | Waits:
    """True when the grammar has what comes at index `at`, up to the next text, the end of the call, or some symbols."""
    base, size = window.base, len(window.buf)
    one = Hypothesis(0, base + at, -1, node, Mode.BETWEEN, "", context, Action(None, ()))
    for symbols in range(_SYMBOLS):
        node = one.node
        if node.text or node.escaped or symbols and node.over:
            break
        at = one.pos - base
        begins = window.graph.network.spec.comments and begins_terminal(window, node, at)
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
    return any(True for _ in names_before_more(window, node, at))


def names_before_more(window: Window, node: Node, at: int) -> Iterator[tuple[Terminal, re.Match[str]]]:
    """The terminals of `node` at index `at` that go on as the grammar has it."""
    buf = window.buf
    for name, regex in node.patterns:
        match = regex.match(buf, at, at + MAX_LEXEME)
        if match is not None and match.end() > at:
            after, end = node.step(name).node, window.after_blanks(match.end())
            if after.struct.match(buf, end) or after.json and buf[end : end + 1] == "{":
                yield name, match


def marker(node: Node, context: EdgeContext, buf: str, at: int) -> tuple[int, str]:
    """The end index and the core of the longest marker of `node` at index `at`; -1 for none."""
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
    """End index of a marker at index `at` that repeats a name, perhaps with another prefix, or a key; -1 for none."""
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


def begins_terminal(window: Window, node: Node, at: int) -> bool:
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


def begins_json(node: Node, char: str) -> bool:
    """True when the JSON of `node` may begin with a character."""
    if char in '{["｛［':
        return True
    return node.json_field().role in _VALUES and (char.isdigit() or char in "-tfn")


def name_alone(window: Window, one: Hypothesis) -> bool:
    """True when nothing but its name says that a call is open: an object has to follow."""
    call, name, begun = one.context.call, one.context.name, one.context.begun
    if call is None or one.context.key is not None or not (call.patterns and name):
        return False
    if begun and window.raw(begun - 1, begun) != "\n":
        return False
    return window.raw(begun, begun + len(name)) == name


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
