"""What an entry's `map` and `values` say about the parts of a grammar: roles, shapes, codecs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolect.spec.document import Node, Table, Text, describe
from toolect.spec.model import (
    Alt,
    Codec,
    CodecKind,
    Expr,
    Layout,
    LayoutKind,
    Literal,
    Pattern,
    Ref,
    Repeat,
    Role,
    Rule,
    Seq,
    Shape,
    Slot,
    SlotKind,
    Spelling,
    StopKind,
)
from toolect.spec.problems import Problems, either, near, one_of
from toolect.spec.shapes import is_shape, read_shape
from toolect.spec.worded import check_written, is_worded, read_worded

_RULE = "a rule"
_VALUE_RULE = "a value inside a rule"
_TERMINAL = "a terminal"
_MARKER = "a marker"
_TEXT = "a text slot"
_JSON = "a JSON slot"
_DATA = (_TERMINAL, _TEXT, _VALUE_RULE)

_KINDS: dict[Role, tuple[str, ...]] = {
    Role.CONTENT: (_RULE,),
    Role.REASONING: (_RULE,),
    Role.CALL: (_RULE,),
    Role.AGAIN: (_RULE,),
    Role.ARGUMENT: (_RULE,),
    Role.NAME: _DATA,
    Role.ID: _DATA,
    Role.REF: _DATA,
    Role.INDEX: (_TERMINAL,),
    Role.KEY: _DATA,
    Role.TYPE: (_TERMINAL,),
    Role.ARGUMENTS: (*_DATA, _JSON),
    Role.VALUE: (*_DATA, _JSON),
}
_NEEDS = {CodecKind.YAML: Role.ARGUMENTS, CodecKind.ELEMENTS: Role.VALUE}
"""Codecs that are for one role only."""
_LAYOUT = re.compile(r"(spaced|compact)|(rows|indented) ([1-9])")
_BY_ITSELF = (Role.CONTENT, Role.REASONING)


class Meanings(NamedTuple):
    """What a map says: the role or the shape of each part, and the texts that go with some roles."""

    roles: dict[str, Role]
    shapes: dict[str, Shape]
    markup: dict[str, str]
    fixed_names: dict[str, str]


class Parts:
    """The parts of a grammar that a map may name, with what they are; those of value languages only with `values`."""

    def __init__(self, rules: dict[str, Rule], values: bool = False) -> None:
        self.kinds: dict[str, str] = {}
        self.bare_slots: set[str] = set()
        self.literals: set[str] = set()
        self.patterns: dict[str, list[Pattern]] = {}
        for rule in rules.values():
            if rule.value and not values:
                continue
            self.kinds[rule.name] = _RULE
            for part in leaves(rule.expr):
                match part:
                    case Slot(kind):
                        self.kinds[f"{rule.name}/{kind}"] = _JSON if kind is SlotKind.JSON else _TEXT
                        self.bare_slots.add(kind)
                    case Pattern(_, name):
                        for key in (name, f"{rule.name}/{name}"):
                            self.kinds[key] = _TERMINAL
                            self.patterns.setdefault(key, []).append(part)
                    case Ref(name) if rules[name].value:
                        self.kinds[f"{rule.name}/{name}"] = _VALUE_RULE
                    case Ref(name):
                        self.kinds[f"{rule.name}/{name}"] = _RULE
                    case Literal(text, others, name):
                        self.literals |= {text, *others}
                        if name:
                            self.kinds[name] = self.kinds[f"{rule.name}/{name}"] = _MARKER

    def find(self, key: Text, problems: Problems, quiet: bool) -> str | None:
        """What the key names; a problem when it names nothing, unless `quiet`."""
        if key.text in self.kinds:
            return self.kinds[key.text]
        if not quiet:
            if key.text in self.bare_slots:
                hint = f"write the rule too: {one_of(k for k in self.kinds if k.endswith('/' + key.text))}"
            else:
                hint = near(key.text, self.kinds)
            problems.error("unknown-part", f"the grammar has no `{key.text}`", key.place, hint=hint)
        return None


def leaves(expr: Expr) -> Iterator[Literal | Pattern | Slot | Ref]:
    """The parts of an expression that have no parts themselves, in order."""
    match expr:
        case Seq(items) | Alt(items):
            for item in items:
                yield from leaves(item)
        case Repeat(item):
            yield from leaves(item)
        case _:
            yield expr


def read_map(table: Table, rules: dict[str, Rule], own: set[str], problems: Problems) -> Meanings:
    """Roles and shapes. A key that is not among `own` may name nothing: another entry wrote it for its own grammar."""
    parts = Parts(rules)
    meanings = Meanings({}, {}, {}, {})
    roles, shapes = meanings.roles, meanings.shapes
    for key, value in table.entries:
        kind = parts.find(key, problems, quiet=key.text not in own)
        if is_worded(value):
            worded = read_worded(value, problems)
            if worded is not None and kind is not None:
                _take_worded(key, kind, *worded, parts, meanings, problems)
        elif is_shape(value):
            shape = read_shape(value, problems)
            if kind is not None and (kind is not _JSON or "/" not in key.text):
                problems.error("wrong-role", f"expected {_JSON} for a shape, got {kind}", key.place)
            elif kind is not None and shape is not None:
                shapes[key.text] = shape
        elif (role := _role(value, problems)) and kind is not None:
            if kind in _KINDS[role] and not (kind is _RULE and "/" in key.text):
                roles[key.text] = role
            else:
                if kind is _RULE and "/" in key.text:
                    kind = "a rule inside a rule"
                message = f"expected {either(_KINDS[role])} for the role `{role}`, got {kind}"
                problems.error("wrong-role", message, key.place)
    return meanings


def _take_worded(
    key: Text, kind: str, role: Role, text: Text, parts: Parts, meanings: Meanings, problems: Problems
) -> None:
    """The part `key` has a role with a text."""
    wanted = _TERMINAL if role is Role.MARKUP else _RULE
    if kind is not wanted or (kind is _RULE and "/" in key.text):
        problems.error("wrong-role", f"expected {wanted} for the role `{role}`, got {kind}", key.place)
        return
    meanings.roles[key.text] = role
    if role is Role.MARKUP:
        check_written(text, parts.patterns[key.text], problems)
        meanings.markup[key.text] = text.text
    else:
        meanings.fixed_names[key.text] = text.text


def _role(node: Node, problems: Problems) -> Role | None:
    if not isinstance(node, Text) or not node.text:
        problems.error("wrong-type", f"expected a role or a shape, got {describe(node)}", node.place)
        return None
    if node.text in _KINDS:
        return Role(node.text)
    hint = near(node.text, _KINDS) or f"a role is {one_of(_KINDS)}"
    problems.error("unknown-role", f"expected a role or a shape, got `{node.text}`", node.place, hint=hint)
    return None


def check_mapped(rules: dict[str, Rule], roles: dict[str, Role], shapes: dict[str, Shape], problems: Problems) -> None:
    """Every part that holds data must have a meaning; else parsing would lose it and rendering could not fill it."""
    for rule in rules.values():
        if rule.value:
            if rule.name != Role.JSON and Slot(SlotKind.JSON) in leaves(rule.expr):
                message = f"expected the JSON slot of a value language in its rule `json`, got it in `{rule.name}`"
                problems.error("unsupported-grammar", message, rule.place)
            continue
        for part in dict.fromkeys(leaves(rule.expr)):
            match part:
                case Slot(kind):
                    name, what = kind.value, "slot"
                case Pattern(_, name):
                    what = "terminal"
                case Ref(name) if rules[name].value:
                    what = "value"
                case _:
                    continue
            key = f"{rule.name}/{name}"
            if key in roles or key in shapes or (what == "terminal" and name in roles):
                continue
            if roles.get(rule.name) in _BY_ITSELF and name != SlotKind.JSON and what != "value":
                continue
            problems.error("unmapped-slot", f"the {what} `{key}` has no meaning", rule.place, hint=f"map `{key}`")


def begins_with_name(rule: Rule, roles: dict[str, Role]) -> bool:
    """True when `rule` is a call that begins with its name, perhaps after a sign of a few characters."""
    if roles.get(rule.name) is not Role.CALL:
        return False
    for option in rule.expr.items if isinstance(rule.expr, Alt) else (rule.expr,):
        items = option.items if isinstance(option, Seq) else (option,)
        part = items[1] if len(items) > 1 and isinstance(items[0], Literal) and len(items[0].text) < 4 else items[0]
        if isinstance(part, Pattern):
            role = roles.get(f"{rule.name}/{part.name}") or roles.get(part.name)
            if role is Role.NAME:
                return True
    return False


def read_codecs(
    table: Table, rules: dict[str, Rule], roles: dict[str, Role], own: set[str], problems: Problems
) -> dict[str, Codec]:
    """The codec of each slot named in `values`."""
    parts = Parts(rules, values=True)
    codecs: dict[str, Codec] = {}
    for key, value in table.entries:
        kind = parts.find(key, problems, quiet=key.text not in own)
        codec = _codec(value, problems)
        if kind is None or codec is None:
            continue
        if kind is _TERMINAL and codec.kind not in (CodecKind.TEXT, CodecKind.ENTITIES):
            message = f"expected `text` or `entities` as the codec of a terminal, got `{codec.kind}`"
            problems.error("wrong-value", message, value.place)
        elif kind in (_TEXT, _JSON, _TERMINAL):
            codecs[key.text] = codec
            needs = _NEEDS.get(codec.kind)
            role = roles.get(key.text) or roles.get(key.text.partition("/")[0])
            if needs is not None and (kind is not _TEXT or role is not needs):
                message = f"expected {_TEXT} with the role `{needs}` for the codec `{codec.kind}`, got `{key.text}`"
                problems.error("wrong-role", message, key.place)
        else:
            problems.error("wrong-role", f"expected a slot or a terminal for a codec, got {kind}", key.place)
    return codecs


def _codec(node: Node, problems: Problems) -> Codec | None:
    if isinstance(node, Text):
        kind = choose(node, [k.value for k in CodecKind], "a codec", problems)
        return Codec(CodecKind(kind)) if kind else None
    if not isinstance(node, Table) or node.get("codec") is None:
        message = f"expected a codec or a mapping with a `codec`, got {describe(node)}"
        problems.error("wrong-type", message, node.place)
        return None
    before = len(problems.found)
    fields: dict[str, str] = {}
    choices = {
        "codec": [k.value for k in CodecKind],
        "scalars": [s.value for s in Spelling],
        "containers": [s.value for s in Spelling],
        "untyped": [CodecKind.TEXT.value, CodecKind.JSON.value, CodecKind.JSON_OR_TEXT.value],
        "stops": [s.value for s in StopKind],
        "key": [],
        "layout": [],
        "strings": [],
    }
    layout = Layout()
    for name, value in node.entries:
        if name.text not in choices:
            hint = near(name.text, choices) or f"the fields are {one_of(choices)}"
            problems.error("unknown-field", f"unknown field `{name.text}`", name.place, hint=hint)
        elif name.text == "layout":
            layout = _layout(value, problems)
        elif choices[name.text]:
            fields[name.text] = choose(value, choices[name.text], f"a value of `{name.text}`", problems) or ""
        elif not isinstance(value, Text) or not value.text:
            what = "an argument's name" if name.text == "key" else "a regular expression"
            problems.error("wrong-type", f"expected {what}, got {describe(value)}", value.place)
        elif name.text == "key" or _is_regex(value, problems):
            fields[name.text] = value.text
    if len(problems.found) > before:
        return None
    return Codec(
        CodecKind(fields["codec"]),
        Spelling(fields.get("scalars", Spelling.JSON)),
        CodecKind(fields.get("untyped", CodecKind.JSON_OR_TEXT)),
        fields.get("key"),
        layout,
        Spelling(fields.get("containers", Spelling.JSON)),
        fields.get("strings"),
        StopKind(fields.get("stops", StopKind.ALL)),
    )


def _layout(node: Node, problems: Problems) -> Layout:
    match = _LAYOUT.fullmatch(node.text) if isinstance(node, Text) else None
    if match is None:
        message = f"expected a layout: `spaced`, `compact`, `rows` or `indented` with a number, got {describe(node)}"
        problems.error("wrong-value", message, node.place, hint="for instance `indented 4`")
        return Layout()
    return Layout(LayoutKind(match[1] or match[2]), int(match[3] or 0))


def _is_regex(node: Text, problems: Problems) -> bool:
    """True when the text is a regular expression."""
    try:
        re.compile(node.text)
    except (re.error, RecursionError, OverflowError) as error:
        message = f"expected a regular expression, got `{node.text}`: {error}"
        problems.error("wrong-value", message, node.place)
        return False
    return True


def choose(node: Node, choices: list[str], what: str, problems: Problems) -> str | None:
    """The node's text when it is one of `choices`."""
    if isinstance(node, Text) and node.text in choices:
        return node.text
    hint = (isinstance(node, Text) and near(node.text, choices)) or ""
    message = f"expected {what}: {one_of(choices)}, got {describe(node)}"
    problems.error("wrong-value", message, node.place, hint=hint)
    return None
