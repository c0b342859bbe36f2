"""Follow sets: what may come at a node, and what may if something before it is missing; made once for each node."""

from __future__ import annotations

import heapq
import re
from typing import Final, NamedTuple

from toolect._graph.node import STRONG, Node
from toolect._graph.symbols import Key, Op, OpCode, Terminal, is_echo
from toolect._shapes.alternatives import is_constant, options
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._spec.shape_model import Const, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape

TEXT, JSON, ESCAPED = SlotKind.TEXT, SlotKind.JSON, SlotKind.ESCAPED
MAX_STEPS: Final = 4
"""Symbols that may be missing in a row. Beyond it: the marker behind them is not looked for."""
MAX_COST: Final = 8
"""Highest cost of these together. Beyond it: as above."""
WAYS: Final = 2
"""Ways to one marker. Beyond it: the dearer ones are not tried."""
_LONGEST_CALL: Final = 12
_MAX_NODES: Final = 512
"""Nodes among which the end of a call is looked for: up to 84 in the dialects that come with toolect."""
"""Symbols of the shortest call at most."""
VALUES = (Role.VALUE, Role.JSON)


class Omission(NamedTuple):
    """A way to a node over symbols that are missing, and what it costs."""

    cost: int
    path: tuple[Key, ...]
    node: Node


def reach(node: Node) -> dict[str, list[Omission]]:
    """The markers that may come, the nearest ones first, each with the cheapest ways to a node that has it."""
    return node.made(_reach)


def _reach(node: Node) -> dict[str, list[Omission]]:
    costs, spec = node.graph.costs, node.graph.network.spec
    roles = spec.roles
    found: dict[str, list[Omission]] = {}
    done: dict[Node, int] = {}
    todo: list[tuple[int, int, tuple[Key, ...], Node]] = [(0, 0, (), node)]
    order = 0
    while todo:
        cost, _, path, at = heapq.heappop(todo)
        if done.get(at, MAX_COST + 1) <= cost:
            continue
        done[at] = cost
        for core in at.marks:
            ways = found.setdefault(core, [])
            if len(ways) < WAYS:
                ways.append(Omission(cost, path, at))
        if len(path) >= MAX_STEPS:
            continue
        for core, wrong in at.marks.items():
            thought = roles.get(at.choices[core][0].edge.rule) is Role.REASONING and not at.first(core)
            short = len(core) < STRONG and JSON not in path and not is_echo(core) and not thought
            if wrong or short and not (at.value and not at.first(core)):
                continue
            if at.value and core.isalpha():  # it is all of a value
                continue
            order += 1
            more = cost + (costs.implied_opener if at.first(core) else costs.implied_closer)
            if more <= MAX_COST:
                heapq.heappush(todo, (more, order, (*path, core), at.step(core).node))
        rule = at.choices[JSON][0].edge.rule if at.json else ""
        extra = rule in spec.unwritten and roles.get(rule) is Role.CALL  # without its JSON it is none
        if at.json and not at.text and not extra and cost + costs.no_arguments <= MAX_COST:
            order += 1
            heapq.heappush(todo, (cost + costs.no_arguments, order, (*path, JSON), at.step(JSON).node))
        if "{" in at.marks and not at.text and cost + costs.no_arguments <= MAX_COST:
            inner = at.step("{").node
            if "}" in inner.marks:
                order += 1
                heapq.heappush(todo, (cost + costs.no_arguments, order, (*path, "{", "}"), inner.step("}").node))
    return found


def way_to_json(node: Node) -> Omission | None:
    """The cheapest way to a node that takes the JSON of a call, markers before it missing."""
    return node.made(_way_to_json)


def _way_to_json(node: Node) -> Omission | None:
    costs = node.graph.costs
    todo: list[tuple[int, int, tuple[Key, ...], Node]] = [(0, 0, (), node)]
    order, done = 0, set[Node]()
    while todo:
        cost, _, path, at = heapq.heappop(todo)
        if at.json and at.json_field().role not in VALUES:
            return Omission(cost, path, at)
        if at in done or len(path) >= MAX_STEPS - 1:
            continue
        done.add(at)
        for core, wrong in at.marks.items():
            if not wrong and (not (path and at.text) or at.calling(core)):
                order += 1
                more = costs.implied_opener if at.first(core) else costs.implied_closer
                heapq.heappush(todo, (cost + more, order, (*path, core), at.step(core).node))
    return None


class NamedWay(NamedTuple):
    """Way on from the name of a call without its openers: these openers, the node after them, the terminal."""

    path: tuple[Key, ...]
    node: Node
    name: Terminal


def way_to_name(node: Node) -> NamedWay | None:
    """The way to the terminal that holds the name of a call, over at most three openers."""
    level: list[tuple[tuple[Key, ...], Node]] = [((), node)]
    met = {node}
    for _ in range(MAX_STEPS - 1):
        more: list[tuple[tuple[Key, ...], Node]] = []
        for path, at in level:
            for core, wrong in at.marks.items():
                if wrong or not (path or at.calling(core)):
                    continue
                to = at.step(core).node
                if to in met:
                    continue
                met.add(to)
                for name, _ in to.patterns:
                    roles = to.fills(name)
                    if not to.text and len(roles) == 1 and roles <= {Role.NAME, Role.REF}:
                        return NamedWay((*path, core), to, name)
                if not to.text:
                    more.append(((*path, core), to))
        level = more
    return None


def empty_values(node: Node) -> dict[str, tuple[str, ...]]:
    """The markers that are all of a value at `node`: null, by an empty text, and an object, by its bracket.

    After them comes what comes after any value.
    """
    return node.made(_empty_values)


def _empty_values(node: Node) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for core, wrong in node.marks.items():
        ops = (task for task, _ in node.step(core).tasks if isinstance(task, Op))
        begun = [op.role for op in ops if op.code is OpCode.BEGIN_VALUE]
        if not wrong and core.isalpha() and begun[-1:] == [Role.NULL]:
            found.setdefault("", (core,))
        if not wrong and core == "{" and begun[-1:] == [Role.OBJECT] and "}" in node.step(core).node.marks:
            found[core] = core, "}"
    return found


def after_value(node: Node, empty: tuple[str, ...] = ()) -> Node:
    """The node after the JSON of `node`, or after a value for which the markers `empty` can stand."""
    if not empty and node.json:
        return node.step(JSON).node
    for core in empty or next(iter(empty_values(node).values()), ()):
        node = node.step(core).node
    return node


def last_closers(node: Node) -> tuple[str, ...]:
    """The brackets and closers with which all that is open at `node` is over."""
    return node.made(_last_closers)


def _last_closers(node: Node) -> tuple[str, ...]:
    if node.done is not None:
        return ()
    todo: list[tuple[tuple[str, ...], Node]] = [((), node)]
    met = {node}
    while todo:
        path, at = todo.pop(0)
        if path and (at.done is not None or at.text and at.text_field().role is Role.CONTENT):
            return path
        for core, wrong in at.marks.items() if len(path) < 2 * MAX_STEPS else ():
            if not wrong and not at.first(core) and core[0] not in ",:;=" and not is_echo(core):
                to = at.step(core).node
                if to not in met:
                    met.add(to)
                    todo.append(((*path, core), to))
    return ()


def way_to_content(node: Node) -> tuple[str, ...]:
    """The closers that are missing before content may come; none where they are more than `MAX_STEPS`."""
    return node.made(_way_to_content)


def _way_to_content(node: Node) -> tuple[str, ...]:
    level: list[tuple[tuple[str, ...], Node]] = [((), node)]
    met = {node}
    for _ in range(MAX_STEPS - 1):
        more: list[tuple[tuple[str, ...], Node]] = []
        for path, at in level:
            for core, wrong in at.marks.items():
                to = at.step(core).node
                if wrong or at.first(core) or node.value and len(core) < STRONG or to in met:
                    continue
                if to.text and to.text_field().role in (Role.CONTENT, None):
                    return (*path, core)
                met.add(to)
                more.append(((*path, core), to))
        level = more
    return ()


def content_opener(node: Node) -> str:
    """The marker that is missing before content; "" where there is no such thing."""
    return node.made(_content_opener)


def _content_opener(node: Node) -> str:
    after = ((core, node.step(core).node) for core, wrong in node.marks.items() if not wrong)
    said = (core for core, to in after if to.text and to.text_field().role is Role.CONTENT)
    return next(said, "")


def after_call(node: Node) -> Node:
    """The node after the shortest call that begins at `node`; that itself where there is none."""
    return node.made(_call_end)[0]


def call_closer(node: Node) -> str:
    """The marker that ends the shortest call that begins at `node`; empty where none does, or a short one."""
    key = node.made(_call_end)[1]
    return key if isinstance(key, str) and len(key) >= STRONG and not is_echo(key) else ""


def _call_end(node: Node) -> tuple[Node, Key]:
    level, met = [node], {node}
    for _ in range(_LONGEST_CALL):
        more = list[Node]()
        for at in level:
            for key in at.choices:
                to = at.step(key).node
                if to.over:
                    return to, key
                if to not in met:
                    met.add(to)
                    more.append(to)
        if len(met) > _MAX_NODES:  # of values in values there are more and more
            break
        level = more
    return node, ""


def landmarks(node: Node) -> re.Pattern[str]:
    """Finds the synchronisation set of `node`: the markers at which reading goes on after what cannot be read."""
    return node.made(_landmarks)


def _landmarks(node: Node) -> re.Pattern[str]:
    return any_of(node.made(synchronisation_set))


def synchronisation_set(node: Node) -> set[str]:
    """The markers themselves."""
    graph = node.graph
    ways = {core: ways for core, ways in reach(node).items() if len(core) >= STRONG and not is_echo(core)}
    cores = {core for core, (way, *_) in ways.items() if not (core in graph.shared and way.node.marks[core])}
    cores |= {*graph.long_openers, *graph.ends} | {call_closer(node)} - {""}
    if node.value or any(len(core) < STRONG for core in node.marks):
        cores |= {*graph.closers}
    return cores


def next_in_list(call: Node) -> re.Pattern[str]:
    """An expression for the beginning of another call in the list of one that begins at `call`, from its sign on."""
    return call.made(_next_in_list)


def _next_in_list(call: Node) -> re.Pattern[str]:
    after, ways = after_call(call), list[str]()
    for sign, to in (("\n", after), *((core, after.step(core).node) for core in after.marks if len(core) == 1)):
        begins = [re.escape(core) for core in to.marks if len(core) >= STRONG and to.calling(core) and to is not after]
        names = (name for name, _ in to.patterns if to.naming(name) and "(" in to.step(name).node.marks)
        begins += [rf"{name.regex}\s{{0,8}}\(" for name in names]
        ways += [rf"{re.escape(sign)}\s{{0,64}}(?={way})" for way in begins]
    return re.compile(rf"(?<=[)\]}}])(?:{'|'.join(ways) or '(?!)'})")


def any_of(words: set[str] | list[str]) -> re.Pattern[str]:
    """An expression that matches any of these texts, the longest first."""
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))) or "(?!)")


def nests(node: Node) -> bool:
    """True where markers may come in place of the text of a value, and none of them ends it."""
    return node.made(_nests)


def _nests(node: Node) -> bool:
    if node.text_field().role not in (Role.VALUE, Role.STRING) or node.patterns or node.json:
        return False
    after = node.step(TEXT).node.marks
    return bool(node.marks) and all(len(core) >= STRONG and core not in after for core in node.marks)


_QUOTE: Final = "[\"'`“”„«»‘’]"


def _key(words: str) -> str:
    return rf"(?:{words}){_QUOTE}?\s*(?:[:：=]|(?<={_QUOTE})\s*[\"{{])"


def ends_alone(node: Node) -> bool:
    """True when the answer may end at `node`, or nothing but closers is missing, each the only one that may come."""
    return node.made(_ends_alone)


def _ends_alone(node: Node) -> bool:
    met = {node}
    while node.done is None and not node.over:
        sole = node.sole
        if sole is None or (node := node.step(sole).node) in met:
            return False
        met.add(node)
    return True


def takes_elements(node: Node) -> bool:
    """True when an argument begins at `node`, with a marker that no text begins with by chance."""
    return node.made(_takes_elements)


def _takes_elements(node: Node) -> bool:
    if node.text or node.json or node.escaped or node.value:
        return False
    tasks = (task for core in node.marks if len(core) >= STRONG or core[0] == "<" for task, _ in node.step(core).tasks)
    return any(isinstance(task, Op) and task.code is OpCode.BEGIN_ARGUMENT for task in tasks)


class ShapeKeys:
    """The keys of a call's JSON by what they hold."""

    __slots__ = ("arguments", "constants", "flat", "known", "least", "member", "name", "open", "outer", "said", "texts")

    def __init__(self, shape: Shape | None) -> None:
        self.name: set[str] = set()
        self.arguments: set[str] = set()
        self.texts: set[str] = set()
        """Those of the arguments that are JSON in a string."""
        self.flat: set[str] = set()
        """Those of names beside which any other key is an argument."""
        self.known: set[str] = set()
        self.outer: set[str] = set()
        """Those that hold objects with a name and arguments."""
        self.said: set[str] = set()
        """Those that a message has beside its calls: it may begin with one."""
        self.constants: dict[str, list[object]] = {}
        self.open = False
        """It may have any other key, too."""
        self.least = MAX_STEPS
        """Number of objects at least that the arguments stand in."""
        self._walk(shape, 0)
        words, said = (
            "|".join(map(re.escape, sorted(keys))) for keys in (self.name | self.arguments | self.outer, self.said)
        )
        ways = [rf"[\s{{,]{_QUOTE}?{_key(words)}"] if words else []
        ways += [rf"[\s{{,]{_QUOTE}?[\w.:/-]+{_QUOTE}?\s*:\s*\{{"] if self.open else []
        ways += [rf"\{{\s*{_QUOTE}?{_key(said)}"] if said else []
        self.member = re.compile("|".join(ways) or "(?!)")
        """Finds a member that says that the object is a call."""

    def _walk(self, shape: Shape | None, depth: int) -> None:
        match shape:
            case OneOf(shapes):
                for one in shapes:
                    self._walk(one, depth)
            case Many(item):
                self._walk(item, depth)
            case Keyed(inner):
                self.open = True
                self._walk(inner, depth + 1)
            case Obj(fields, rest):
                self.open = self.open or bool(rest)
                for member in fields:
                    self.known.update(member.keys)
                    match member.shape:
                        case Hole(HoleKind.NAME):
                            self.name.update(member.keys)
                            self.flat.update(member.keys if rest else ())
                        case Hole(HoleKind.ARGUMENTS | HoleKind.ARGUMENTS_TEXT as kind):
                            self.arguments.update(member.keys)
                            self.least = min(self.least, depth + 1)
                            self.texts.update(member.keys if kind is HoleKind.ARGUMENTS_TEXT else ())
                        case inner if is_constant(inner):
                            self.said.update(member.keys)
                            values = [one.value for one in options(inner) if isinstance(one, Const)]
                            for key in member.keys:
                                self.constants.setdefault(key, []).extend(values)
                        case Hole(HoleKind.CONTENT | HoleKind.REASONING):
                            self.said.update(member.keys)
                        case inner if not isinstance(inner, Hole):
                            self.outer.update(member.keys)
                            self._walk(inner, depth + 1)


def shape_keys(node: Node) -> ShapeKeys:
    """The keys of the JSON of `node`."""
    return node.made(_shape_keys)


def _shape_keys(node: Node) -> ShapeKeys:
    return ShapeKeys(node.json_field().shape)


def shaped(node: Node) -> bool:
    """True when the JSON of `node` is a call by its shape, and not only arguments."""
    if not node.json:
        return False
    field = node.json_field()
    return field.shape is not None and not isinstance(field.shape, Hole) and field.role not in VALUES
