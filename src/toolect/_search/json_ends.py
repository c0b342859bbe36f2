"""JSON evidence and ends: what keys and names say for a call, and the edges at the end of a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolect._graph.node import Node
from toolect._graph.symbols import is_echo
from toolect._message import Json
from toolect._search.actions import CloseWrapped, DropLoose, EndAnswer, Fail, MendJson, StringJson
from toolect._search.code_state import give_up, unrun
from toolect._search.follow import after_value, empty_values, reach, shape_keys, shaped
from toolect._search.hypothesis import WAIT, Doubt, EdgeContext, Hypothesis, Mode, Waits
from toolect._search.json_state import IN_TEXT, EmittedValue, JsonState, Next, Slips
from toolect._search.json_texts import as_json
from toolect._search.path import spelled
from toolect._search.window import Window
from toolect._shapes.elsewhere import calls_elsewhere
from toolect._values.json_lexemes import complete, unquote

NEAR: Final = 64
"""Characters of a key, and between the end of a string that has no last quote and what shows it."""
MAX_NESTED: Final = 6
"""Brackets around the name or the arguments of a call. Beyond it: they are none."""
MAX_EVIDENCE: Final = 4
NEXT_KEY: Final = re.compile(r'\s*"([^"\\\n]{0,64})"\s*:')
_MORE: Final = re.compile(r'\s*,\s*"([^"\\\n]{1,64})"\s*:')
"""A member that comes yet."""
_FAR: Final = 2 * NEAR
_OUTER: Final = 3
"""Objects around a call."""
_ITEMS: Final = 4
"""Items of a list in which a call is looked for."""
_MORE_BEGUN: Final = re.compile(r'\s*(?:,\s*(?:"[^"\\\n]{0,64}(?:"\s*)?)?)?\Z')
MAYBE_KEY: Final = re.compile(r'"[^"\\\n]{0,64}(?:"\s*)?\Z')
QUOTED_OBJECT: Final = re.compile(r'"\{\s*(?:"(\w)|"?\Z)')
"""An object between quotes that are not escaped in it, with the first sign of its key: no JSON goes on so."""
_ARGUMENTS: Final = "{n\"'`“”„‘’«"
"""First signs of arguments: of an object, of null, which stands for none, or of a string."""
_FENCE_END: Final = re.compile(r"\s{0,8}```(?!`)")
_UNFENCED: Final = 12
"""Characters that say whether a fence is closed."""
_HIGH: Final = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
"""The first half of a surrogate pair: the other one belongs to it."""
_MAYBE_HELD: Final = re.compile(r"[,\]}\\]|\s\Z")
"""Finds a sign at the end of a string that waits for more."""
_BRACKET: Final = re.compile(r"[\]}]")
_OPENERS: Final = {"}": "{", "]": "["}
_SUFFIX: Final = re.compile(r"\s*[,\]}][\s,\]}]*\Z")


# What a string is passed on up to


def held(buf: str, node: Node, low: int, end: int) -> int:
    """The index up to which a string that goes on to index `end` is passed on: signs that may follow it wait."""
    if end <= low:
        return low
    if _MAYBE_HELD.search(buf, low, end) is None:
        return end
    match = node.made(_held_back).search(buf, low, end)
    if match is None:
        return end
    at = match.start()
    before = buf[max(at - NEAR, 0) : at]
    slashes = len(before) - len(before.rstrip("\\"))
    return int(at - slashes % 2)  # no escape is torn


def _held_back(node: Node) -> re.Pattern[str]:
    firsts = "".join(sorted({re.escape(core[0]) for core in signs_after(node)}))
    marker = rf'(?:[{firsts}][^\n"]{{0,40}})?' if firsts else ""
    return re.compile(rf"(?:\s*[,\]}}][\s,\]}}]*{marker}|\s+)\Z|(?:{_HIGH})?\\(?:u[0-9a-fA-F]{{0,3}})?\Z|{_HIGH}\Z")


def signs_after(node: Node) -> tuple[str, ...]:
    """The markers that begin with a sign and may follow the JSON of `node`."""
    return node.made(_signs_after)


def _signs_after(node: Node) -> tuple[str, ...]:
    return tuple(core for core in (*after_json(node), *node.graph.ends) if not core[0].isalnum())


def after_json(node: Node) -> tuple[str, ...]:
    """The markers that may follow the JSON of `node`."""
    return node.made(_after_json)


def _after_json(node: Node) -> tuple[str, ...]:
    if not node.json and not empty_values(node):
        return ()
    return tuple(core for core in reach(after_value(node)) if (len(core) >= 2 or not node.json) and not is_echo(core))


def closed_before_marker(node: Node) -> re.Pattern[str] | None:
    words = sorted(map(re.escape, signs_after(node)), key=len, reverse=True)
    return re.compile(r"(?<![\]}\s])\s*((?:[\]}]\s*)+)(?:" + "|".join(words) + ")") if words else None


def over_before(window: Window, node: Node, state: JsonState, low: int, end: int) -> tuple[int, int] | None:
    """The indices of brackets in a string that close the value, and of the text behind the value; None for none."""
    regex = node.made(closed_before_marker)
    if regex is None or not state.stack or end <= low or _BRACKET.search(window.buf, low, end) is None:
        return None
    for match in regex.finditer(window.buf, low, min(end + 40, len(window.buf))):
        count = sum(char in "]}" for char in match[1])
        if match.end() <= end and count == len(state.stack) and match.end() - match.start() <= NEAR:
            return match.span()
    return None


# Evidence


def key_cost(window: Window, node: Node, state: JsonState, sign: str) -> int:
    """Cost of the key of `state`, whose value begins with `sign`."""
    costs, cost = window.costs, 0
    keys = shape_keys(node) if state.bare or shaped(node) else None
    if state.evidence < MAX_EVIDENCE:
        state.evidence += 1
        cost = costs.fits
    depth = len(state.stack)
    if keys is None or depth > MAX_NESTED or state.depth and depth > state.depth:
        return cost
    called = state.called
    if state.key in keys.name:
        state.found |= 1
        state.flat = state.key in keys.flat
    elif state.key in keys.arguments:
        if sign and sign in _ARGUMENTS and state.stack.count("{") >= keys.least:
            state.found |= 2
            state.depth = depth
    elif keys.open and not state.called and state.key not in keys.known and (sign == "{" or state.flat):
        state.found, state.depth = 3, depth if sign == "{" else 0
    elif state.bare and state.key not in keys.known and not keys.open and not state.styles & Slips.OTHER:
        state.styles |= Slips.OTHER
        cost += costs.aside_in_text
    if not called and state.called:
        cost += costs.call_seen
        state.bare = False
    return cost


def said(window: Window, state: JsonState) -> str:
    """The content of the string at the end of `state`."""
    assert state.last_quote is not None
    text = window.raw(state.string, state.last_quote)
    return unquote(as_json(text, state.quote)) if "\\" in text else text


def name_cost(window: Window, one: Hypothesis, state: JsonState) -> int:
    """Cost of the string at the end of `state` as the name of a call, or as a constant."""
    keys, costs = shape_keys(one.node), window.costs
    text = said(window, state)
    if state.key in keys.name and state.key not in keys.arguments:
        fine = text in window.tools or text and " " not in text
        return (0 if fine else costs.no_name) + window.name_cost(one.context._replace(name=text))
    if state.key not in keys.constants or text in keys.constants[state.key]:
        return 0
    return 0 if "[" in state.stack else costs.no_name  # one of several: it is passed over


def takes_arguments(one: Hypothesis, state: JsonState) -> bool:
    """True where all arguments should begin: a text is none."""
    if not (state.bare or shaped(one.node)) or state.expects is not Next.VALUE or not state.in_object:
        return False
    return state.depth in (0, len(state.stack)) and state.key in shape_keys(one.node).arguments


def misplaced(window: Window, state: JsonState, context: EdgeContext, at: int) -> int | Waits:
    """Number of brackets that are missing before a key: it is one of the arguments, and deeper than they are."""
    tools = window.tools
    if not tools.declared:
        return 0
    depth = state.depth + 1 if state.found & 2 else 1 if context.name else 0
    if not depth or len(state.stack) <= depth:
        return 0
    match = NEXT_KEY.match(window.buf, at)
    if match is None:
        return WAIT if MAYBE_KEY.match(window.buf, at, at + NEAR + 16) else 0
    names = [context.name] if context.name in tools else [*tools]
    declared = any(match[1] in tools.of(name).names for name in names)
    return len(state.stack) - depth if declared and match[1] not in window.inner_keys else 0


def closed_early(window: Window, node: Node, state: JsonState, at: int, final: bool) -> bool | Waits:
    """True when a member comes after the bracket at index `at` where none can: that is one too many."""
    stack = state.stack[:-1]
    arguments = state.depth and len(stack) == state.depth and shaped(node)
    if stack.endswith("{") and not arguments:
        return False
    buf, far = window.buf, at + _FAR
    match = _MORE.match(buf, at + 1, far)
    if match is None:
        return WAIT if not final and len(buf) < far and _MORE_BEGUN.match(buf, at + 1) else False
    if not arguments:
        return True
    tools = window.tools
    return match[1] not in shape_keys(node).known and state.name in tools and match[1] in tools.of(state.name).names


def member_follows(buf: str, end: int) -> bool:
    """True when a member comes after the value that ends at index `end`."""
    return _MORE.match(buf, end, end + _FAR) is not None


def _holds_call(window: Window, node: Node, value: Json) -> bool:
    """True when a value has the name and the arguments of a call."""
    keys, tools = shape_keys(node), window.tools
    for one in _objects(value, _OUTER):
        name = next((said for key in keys.name if isinstance(said := one.get(key), str)), "")
        given = [one.get(key) for key in keys.arguments]
        argued = any(isinstance(a, dict) or isinstance(a, str) and a.lstrip()[:1] == "{" for a in given)
        if name and (name in tools or " " not in name and argued):
            return True
        if keys.open and len(one) == 1 and not keys.name:
            return next(iter(one)) in tools or not tools.declared
    return False


def _objects(value: Json, depth: int) -> Iterator[dict[str, Json]]:
    """The objects in a value that may be calls: it, and those in it, so many levels deep."""
    if isinstance(value, list):
        for item in value[:_ITEMS]:
            yield from _objects(item, depth)
    elif isinstance(value, str):
        inner = complete(value, 0, True) if value[:1] == "{" else None
        yield from () if inner is None else _objects(inner[0], 0)
    elif isinstance(value, dict):
        yield value
        for part in value.values() if depth else ():
            if isinstance(part, dict | list):
                yield from _objects(part, depth - 1)


def _is_call(window: Window, node: Node, state: JsonState, end: int) -> bool:
    """True unless the value that ends at character `end` has no key, or is strict JSON and no call, in any shape."""
    text = window.raw(state.start, end)
    found = complete(text, 0, True)
    if found is None:
        return bool(state.key)
    if found[0] == []:
        return True
    return _holds_call(window, node, found[0]) or bool(calls_elsewhere(text, 0, window.tools))


def _names_tool(window: Window, node: Node, start: int, end: int) -> bool:
    """True when the value has nothing but what calls have, and names a declared tool."""
    found, keys = complete(window.raw(start, end), 0, True), shape_keys(node)
    value = None if found is None else found[0]
    units = value if isinstance(value, list) else [value]
    for unit in [*units, *(part for outer in units if isinstance(outer, dict) for part in outer.values())]:
        names = [unit.get(key) for key in keys.name] if isinstance(unit, dict) and {*unit} <= keys.known else []
        if any(isinstance(name, str) and name in window.tools for name in names):
            return True
    return False


# Ends


def after_fence(window: Window, one: Hypothesis, final: bool) -> Hypothesis | Waits:
    """The hypothesis after the fence that is open around the value of `one`, which is over."""
    at = one.pos - window.base
    if not final and len(window.buf) - at < _UNFENCED:
        return WAIT
    match = _FENCE_END.match(window.buf, at)
    state = one.state.copy()
    state.styles &= ~Slips.FENCED
    state.emitted = one.pos if match is None else window.base + match.end()
    return close(window, window.stay(one, 0, state.emitted, Mode.JSON, state), state.emitted)


def close(window: Window, one: Hypothesis, at: int) -> Hypothesis:
    """The hypothesis after the value of `one`, which ends at character `at`."""
    node, costs, cost = one.node, window.costs, 0
    state: JsonState = one.state
    if state.bare and not state.called:
        if not (state.found & 1 and _names_tool(window, node, state.start, at)):
            cost += costs.no_name
    elif not state.bare and shaped(node) and not _is_call(window, node, state, at):
        cost += costs.no_call
    telling = EmittedValue(state.copy())
    telling.upto(at)
    if state.styles & Slips.FENCED:  # what closes the fence is to be read
        telling.state.expects, telling.state.stack = Next.AFTER_VALUE, ""
        return window.stay(one, 0, at, Mode.JSON, telling.state, *telling)
    path = window.path(one).add(*telling)
    if state.wrapped:
        path.add(CloseWrapped(state.start, at)).doubt(path.context.doubt | Doubt.ARGUED if path.context.doubt else 0)
    elif state.empty:
        path.close_loose(state.empty, at, state.delimiter)
    else:
        path.close_json(at)
    return window.make(one, cost, at, Mode.BETWEEN, "", path)


def skipped(window: Window, one: Hypothesis, at: int, why: str) -> Hypothesis:
    """The hypothesis that nobody can read the value from character `at` on."""
    state: JsonState = one.state
    cost = window.costs.no_name if state.bare and not state.called else window.costs.skip
    if state.loose:
        path = window.path(one).add(DropLoose(), Fail(f"{why}{unrun(window, one.context, at - window.base)}"))
        return give_up(window, one, cost, at, path, len(state.stack))
    return window.stay(one, cost, at, Mode.SKIPPED, (True, at))


def _may_call(window: Window, state: JsonState, at: int) -> bool:
    """True when what is there of a value, which the input ends in at character `at`, may be a call without markers."""
    tools = window.tools
    if state.called or state.styles & Slips.OTHER:
        return state.called
    if not state.found & 1 or not tools.declared:
        argued = state.found & 2 and any(state.key in tools.of(name).names for name in tools)
        return bool(state.found & 1 or argued)
    name = state.name or window.raw(state.string, at)
    return name in tools if state.name else any(tool.startswith(name) for tool in tools)


def at_end(window: Window, one: Hypothesis, at: int) -> list[Hypothesis]:
    """The input ends in the middle of the value, at character `at`."""
    node, costs, graph, cost, found = one.node, window.costs, window.graph, 0, list[Hypothesis]()
    state: JsonState = one.state
    if state.bare and not _may_call(window, state, at):
        cost += costs.no_name
    if state.expects is Next.IN_STRING:
        tail = window.raw(state.string, at)
        echoes = (spelled(echo, one.context) for echo in (after_value(node).echoes if node.json else ()))
        if any(core in tail for core in (*graph.closers, *graph.long_openers, *echoes)):
            cost += costs.swallowed + costs.break_off
            found.append(skipped(window, one, state.string, "a string has no end"))
        low = max(0, len(tail) - NEAR)
        match = _SUFFIX.search(tail, low)
        closes = match is not None and sum(char in "]}" for char in match[0]) == len(state.stack)
        if match is not None and closes and "," not in match[0] and (match.start() > low or not low):
            found.append(ended_string(window, one, costs.json_end_quote, state.string + match.start()))
    if state.loose:
        cost += costs.break_off
        path = window.path(one).add(DropLoose())
    else:
        telling = EmittedValue(state.copy())
        if state.expects in IN_TEXT:
            telling.acts.append(StringJson(state.emitted, at, state.quote, ""))
        else:
            telling.upto(at)
        path = window.path(one).add(*telling)
    path.add(EndAnswer(node, at))
    return [window.make(one, cost + bool(found), at, Mode.END, "", path), *found]


def ended_string(window: Window, one: Hypothesis, cost: int, at: int, expects: Next = Next.AFTER_VALUE) -> Hypothesis:
    """The hypothesis that the open string, or the last one, ended at character `at`: its last quote is missing.

    Where the quotes in it are even without one, the last of them is that quote, and what follows it is in no string.
    """
    state = one.state.copy()
    if state.even:
        cost += window.costs.swallowed
    telling = EmittedValue(state)
    telling.string_upto(at)
    state.expects, state.last_quote, state.after_string = expects, at, at
    if expects is Next.COLON:
        state.key = window.raw(state.string, at)
    telling.acts.append(MendJson(at, "expected the end of a string"))
    text, ends = window.raw(max(state.string, at - NEAR), at), window.buf[at - window.base : at - window.base + 1]
    opener = _OPENERS.get(ends)
    if state.empty and state.reopened or opener and text.count(opener) > text.count(ends):  # it may be the string's own
        telling.acts.append(Fail(f"a string has no end - at {state.string}"))
    return window.stay(one, cost, at, Mode.JSON, state, *telling)
