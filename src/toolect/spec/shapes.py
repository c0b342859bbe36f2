"""YAML patterns with holes as JSON shapes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

from toolect.diagnostic import Place
from toolect.ir import Json
from toolect.spec.document import Items, Node, Table, Text, describe
from toolect.spec.model import Const, Field, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape
from toolect.spec.problems import Problems, near, one_of

CHECK = "bad-shape"

_SCALAR = re.compile(r"null|true|false|-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
REST = "*"
"""The key that stands for all keys that are not named."""
_ARGUMENTS = (HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT)
_OF_A_CALL = (HoleKind.NAME, HoleKind.ID, *_ARGUMENTS)


def is_shape(node: Node) -> bool:
    """True when the value of a map key is a shape and not a role."""
    return not isinstance(node, Text) or node.text.startswith("$")


def read_shape(node: Node, problems: Problems) -> Shape | None:
    """The shape that `node` writes down, checked as a whole; nothing when a part of it makes no sense."""
    before = len(problems.found)
    shape = _read(node, problems)
    if shape is not None and len(problems.found) == before:
        _check(shape, node.place, problems)
    return shape if len(problems.found) == before else None


def constant(node: Text) -> Json:
    """A scalar as JSON would type it; what was quoted is a string."""
    if node.plain and _SCALAR.fullmatch(node.text) and len(node.text) < 100:
        return json.loads(node.text)
    return node.text


def _read(node: Node, problems: Problems) -> Shape | None:
    match node:
        case Text(text) if text.startswith("$"):
            return _hole(node, problems)
        case Text(text="", plain=True):
            problems.error(CHECK, "expected a shape, got nothing", node.place)
            return None
        case Text():
            return Const(constant(node))
        case Items(items):
            shapes = [shape for item in items if (shape := _read(item, problems)) is not None]
            if not items:
                problems.error(CHECK, "expected a list of at least one shape, got an empty list", node.place)
            if len(shapes) != len(items) or not shapes:
                return None
            return Many(shapes[0]) if len(shapes) == 1 else OneOf(tuple(shapes))
        case Table(entries):
            if len(entries) == 1 and entries[0][0].text == HoleKind.NAME:
                inner = _read(entries[0][1], problems)
                return None if inner is None else Keyed(inner)
            return _object(node, problems)


def _hole(node: Text, problems: Problems) -> Shape | None:
    if node.text in [kind.value for kind in HoleKind]:
        return Hole(HoleKind(node.text))
    message = f"expected a hole, got `{node.text}`"
    known = [kind.value for kind in HoleKind]
    problems.error(CHECK, message, node.place, hint=near(node.text, known) or f"a hole is {one_of(known)}")
    return None


def _object(node: Table, problems: Problems) -> Shape | None:
    fields: list[Field] = []
    seen: set[str] = set()
    entries = [(key, value) for key, value in node.entries if key.text != REST]
    for key, value in node.entries:
        if key.text == REST and not (isinstance(value, Text) and value.text == HoleKind.ARGUMENTS):
            problems.error(CHECK, f"expected `$arguments` for all other keys, got {describe(value)}", value.place)
    for key, value in entries:
        optional, written = key.text.endswith("?"), not key.text.endswith("??")
        names = tuple(key.text.removesuffix("?").removesuffix("?").split("|"))
        for name in names:
            if not name:
                problems.error(CHECK, f"expected key names, got `{key.text}`", key.place)
            elif name.startswith("$"):
                hint = "a hole is a key only when it is `$name`, and alone"
                problems.error(CHECK, f"expected a key name, got `{name}`", key.place, hint=hint)
            elif name in seen:
                problems.error(CHECK, f"the key `{name}` comes twice in one object", key.place)
            seen.add(name)
        shape = _read(value, problems)
        if shape is not None:
            fields.append(Field(names, shape, optional, written))
    return Obj(tuple(fields), len(entries) < len(node.entries)) if len(fields) == len(entries) else None


def _check(shape: Shape, place: Place, problems: Problems) -> None:
    """Every reading of the shape gives arguments, each hole once, and calls either all in a list or in none."""
    for inside, outside in _readings(shape):
        holes = inside + outside
        if not any(holes[kind] for kind in _ARGUMENTS):
            problems.error(CHECK, "expected a shape with `$arguments` or `$arguments.text`, got neither", place)
            return
        for kind, count in holes.items():
            if count > 1:
                problems.error(CHECK, f"the hole `{kind}` comes {count} times in one call", place)
                return
        if holes[HoleKind.ARGUMENTS] and holes[HoleKind.ARGUMENTS_TEXT]:
            problems.error(CHECK, "expected one of `$arguments` and `$arguments.text`, got both", place)
            return
        if inside and (stray := [kind for kind in _OF_A_CALL if outside[kind]]):
            problems.error(CHECK, f"the hole `{stray[0]}` is outside the list of calls", place)
            return


def _readings(shape: Shape) -> Iterator[tuple[Counter[HoleKind], Counter[HoleKind]]]:
    """The holes inside and outside of a list, one pair per choice of alternatives (the first thousand of them)."""
    none: Counter[HoleKind] = Counter()
    match shape:
        case Hole(kind):
            yield none, Counter([kind])
        case Const():
            yield none, none
        case Keyed(inner):
            for inside, outside in _readings(inner):
                yield inside, outside + Counter([HoleKind.NAME])
        case Many(item):
            yield from _items(item)
        case OneOf(shapes):
            for choice in shapes:
                yield from _readings(choice)
        case Obj(fields, rest):
            found = [(none, Counter([HoleKind.ARGUMENTS]) if rest else none)]
            for field in fields:
                more = list(_readings(field.shape))
                found = [(a + c, b + d) for a, b in found for c, d in more][:1000]
            yield from found


def _items(item: Shape) -> Iterator[tuple[Counter[HoleKind], Counter[HoleKind]]]:
    """The readings of a list: those of the items that are calls. Other items may be texts, in any number."""
    none: Counter[HoleKind] = Counter()
    together = [inside + outside for inside, outside in _readings(item)]
    calls = [found for found in together if any(found[kind] for kind in _OF_A_CALL)]
    for found in calls or [none]:
        yield found, none
