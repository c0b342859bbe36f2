"""YAML patterns with holes as JSON shapes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Set

from toolect._diagnostic import Place
from toolect._message import Json
from toolect._spec.document import Items, Node, YamlScalar, YamlTable, describe
from toolect._spec.holes import holes
from toolect._spec.problems import Problems, near, one_of
from toolect._spec.shape_model import TEXTS, Const, Hole, HoleKind, Keyed, Many, Member, Obj, OneOf, Shape

CHECK = "bad-shape"

_SCALAR = re.compile(r"null|true|false|-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
REST = "*"
"""The key that stands for all keys that are not named."""
_HOLES = [kind.value for kind in HoleKind]
_ARGUMENTS = (HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT)
_OF_A_CALL = (HoleKind.NAME, HoleKind.ID, *_ARGUMENTS)

_IN_A_ROW = 'write what stands around them in the grammar: `call: "[\\"" NAME "\\", " JSON "]"`, mapped one by one'
_NO_HOLES = {
    "$index": "a number that counts is a terminal's: `NUMBER: {written: $index}`; in JSON, `$id` with `ids` may be one",
    "$tool": "did you mean `$name`?",
    "$function": "did you mean `$name`?",
    "$parameters": "did you mean `$arguments`?",
    "$input": "did you mean `$arguments`?",
    "$thinking": "did you mean `$reasoning`?",
    "$text": "did you mean `$content`?",
}
"""Names that are no holes of a call, each with advice."""
WORDS = ("any", "mixed", "const")
"""Words for a list: `{any: [a, b]}` are alternatives, `{mixed: […]}` items of one list, `{const: […]}` constants."""


def is_shape(node: Node) -> bool:
    """True when the value of a map key is a shape and not a role."""
    return not isinstance(node, YamlScalar) or node.text.startswith("$")


def constant(node: YamlScalar) -> Json:
    """A scalar as JSON would type it; what was quoted is a string."""
    if node.plain and _SCALAR.fullmatch(node.text) and len(node.text) < 100:
        return json.loads(node.text)
    return node.text


class Shapes:
    """Reads shapes; those of the field `shapes` by their names, `$call`."""

    def __init__(self, named: YamlTable, problems: Problems) -> None:
        self.problems = problems
        self.nodes: dict[str, Node] = {}
        self.found: dict[str, Shape | None] = {}
        """The named shapes that were used so far; None for one that makes no sense, or is being read."""
        for key, value in named.entries:
            if not re.fullmatch("[a-z][a-z-]*", key.text) or f"${key.text}" in _HOLES:
                message = f"expected the name of a shape, in lower-case letters and no hole's, got `{key.text}`"
                problems.error("bad-name", message, key.place)
            else:
                self.nodes[f"${key.text}"] = value

    def read(self, node: Node) -> Shape | None:
        """The shape that `node` writes down, checked as a whole; nothing when a part of it makes no sense."""
        before = len(self.problems.found)
        shape = self._read(node)
        if shape is not None and len(self.problems.found) == before:
            self._check_constants(node, holes(shape))
        if shape is not None and len(self.problems.found) == before:
            _check(shape, node.place, self.problems)
        return shape if len(self.problems.found) == before else None

    def _check_constants(self, node: Node, there: Set[HoleKind]) -> None:
        """A constant that is called as a hole that is missing is that hole, without its sign."""
        for text in _values(node):
            meant = f"${text.text.strip('{}<>% ')}"
            if meant in (HoleKind.NAME, HoleKind.ARGUMENTS) and meant not in there:
                message = f"expected the hole `{meant}`, got the constant `{text.text}`"
                self.problems.error(CHECK, message, text.place, hint=f"did you mean `{meant}`?")

    def check_used(self, own: YamlTable) -> None:
        """Each of the entry's own named shapes must be used; those that it inherits need not."""
        for key, _ in own.entries:
            if f"${key.text}" in self.nodes.keys() - self.found.keys():
                self.problems.error(CHECK, f"the shape `${key.text}` is used nowhere", key.place)

    def _read(self, node: Node) -> Shape | None:
        match node:
            case YamlScalar(text) if text in self.nodes:
                return self._named(node)
            case YamlScalar(text) if text.startswith("$"):
                return self._hole(node)
            case YamlScalar(text="", plain=True):
                self.problems.error(CHECK, "expected a shape, got nothing", node.place)
                return None
            case YamlScalar():
                return Const(constant(node))
            case Items(items=(item,)):
                inner = self._read(item)
                return None if inner is None else Many(inner)
            case Items(items):
                got = "several" if items else "an empty list"
                hint = (
                    "write `{any: […]}` for alternatives, `{const: […]}` for constants, `{mixed: […]}` inside of a list"
                )
                message = f"expected a list of one shape, got {got}"
                if items and all(isinstance(item, YamlScalar) and item.text in _HOLES for item in items):
                    hint = _IN_A_ROW
                self.problems.error(CHECK, message, node.place, hint=hint if items else "")
                return None
            case YamlTable(entries=((YamlScalar(word), value),)) if word in WORDS:
                return self._worded(word, value)
            case YamlTable(entries=((YamlScalar(HoleKind.NAME), value),)):
                inner = self._read(value)
                return None if inner is None else Keyed(inner)
            case YamlTable():
                return self._object(node)

    def _named(self, node: YamlScalar) -> Shape | None:
        """The shape of the field `shapes` that `node` names."""
        if node.text not in self.found:
            self.found[node.text] = None
            self.found[node.text] = self._read(self.nodes[node.text])
        elif self.found[node.text] is None:
            self.problems.error(CHECK, f"the shape `{node.text}` makes no sense, or holds itself", node.place)
        return self.found[node.text]

    def _hole(self, node: YamlScalar) -> Shape | None:
        if node.text in _HOLES:
            return Hole(HoleKind(node.text))
        message = f"expected a hole, got `{node.text}`"
        known = [*_HOLES, *self.nodes]
        hint = _NO_HOLES.get(node.text) or near(node.text, known) or f"a hole is {one_of(known)}"
        self.problems.error(CHECK, message, node.place, hint=hint)
        return None

    def _worded(self, word: str, node: Node) -> Shape | None:
        """A word for a list, with that list."""
        items = node.items if isinstance(node, Items) else ()
        if len(items) < 2:
            got = "one" if items else describe(node) if not isinstance(node, Items) else "an empty list"
            self.problems.error(CHECK, f"expected a list of at least two for `{word}`, got {got}", node.place)
            return None
        shapes = [shape for item in items if (shape := self._read(item)) is not None]
        if len(shapes) < len(items):
            return None
        for item, shape in zip(items, shapes, strict=True):
            if word == "const" and not isinstance(shape, Const):
                self.problems.error(CHECK, f"expected a constant, got {describe(item)}", item.place)
        return Many(OneOf(tuple(shapes))) if word == "mixed" else OneOf(tuple(shapes))

    def _object(self, node: YamlTable) -> Shape | None:
        fields: list[Member] = []
        seen: set[str] = set()
        entries = [(key, value) for key, value in node.entries if key.text != REST]
        for key, value in node.entries:
            if key.text == REST and not (isinstance(value, YamlScalar) and value.text == HoleKind.ARGUMENTS):
                message = f"expected `$arguments` for all other keys, got {describe(value)}"
                self.problems.error(CHECK, message, value.place)
        for key, value in entries:
            names = self._keys(key, seen)
            shape = self._read(value)
            if shape is not None:
                fields.append(Member(names, shape, key.text.endswith("?"), not key.text.endswith("??")))
        return Obj(tuple(fields), len(entries) < len(node.entries)) if len(fields) == len(entries) else None

    def _keys(self, key: YamlScalar, seen: set[str]) -> tuple[str, ...]:
        """The names that one key of an object may have; none twice."""
        names = tuple(key.text.removesuffix("?").removesuffix("?").split("|"))
        if any(name != name.strip() for name in names):
            hint = f"write `{'|'.join(name.strip() for name in key.text.split('|'))}`"
            message = f"expected key names without blanks around them, got `{key.text}`"
            self.problems.error(CHECK, message, key.place, hint=hint)
        for name in names:
            if not name:
                self.problems.error(CHECK, f"expected key names, got `{key.text}`", key.place)
            elif name.startswith("$"):
                hint = "a hole is a key only when it is `$name`, and alone"
                self.problems.error(CHECK, f"expected a key name, got `{name}`", key.place, hint=hint)
            elif name in seen:
                self.problems.error(CHECK, f"the key `{name}` comes twice in one object", key.place)
            seen.add(name)
        return names


def _values(node: Node) -> Iterator[YamlScalar]:
    """The texts below a node that are no keys."""
    match node:
        case YamlScalar():
            yield node
        case Items(items):
            for item in items:
                yield from _values(item)
        case YamlTable(entries):
            for _, value in entries:
                yield from _values(value)


def _check(shape: Shape, place: Place, problems: Problems) -> None:
    """Every reading of the shape gives arguments, each hole once, and calls either all in a list or in none.

    No text is a member of the object that is the call.
    """
    for direct in _objects(shape):
        texts = [kind for kind in TEXTS if kind in direct]
        if texts and not direct.isdisjoint(_OF_A_CALL):
            message = f"the hole `{texts[0]}` is a member of the call: expected one of an object around it"
            hint = "give the call an object of its own in it, or leave the member out: what no shape names is gone over"
            problems.error(CHECK, message, place, hint=hint)
            return
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
            message = f"expected all holes of a call in the list of calls, got `{stray[0]}` outside of it"
            problems.error(CHECK, message, place, hint=_LISTED)
            return


_LISTED = (
    "put it into the items of the list; a list for each name is written in the grammar, "
    r'`first: "\"" NAME "\": [" JSON` and `more: JSON`, both with the role `call`: '
    "one without a name is of the same tool"
)


def _objects(shape: Shape) -> Iterator[Set[HoleKind]]:
    """The holes right in each object of the shape."""
    match shape:
        case Keyed(inner) | Many(inner):
            yield from _objects(inner)
        case OneOf(shapes):
            for choice in shapes:
                yield from _objects(choice)
        case Obj(fields):
            yield {field.shape.kind for field in fields if isinstance(field.shape, Hole)}
            for field in fields:
                yield from _objects(field.shape)


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
