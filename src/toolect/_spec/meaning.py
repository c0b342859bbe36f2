"""Roles and shapes of the parts of a grammar, from an entry's `map`."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from toolect._spec.codec_model import Codec, CodecKind
from toolect._spec.document import Node, YamlScalar, YamlTable, choose, describe
from toolect._spec.grammar_model import Alt, Literal, Pattern, Ref, Seq, Slot, SlotKind
from toolect._spec.holes import holes
from toolect._spec.leaves import alternatives, leaves
from toolect._spec.map_keys import said_of
from toolect._spec.model import Computed, Role, Rule
from toolect._spec.parts import JSON, RULE, TERMINAL, TEXT, VALUE_RULE, Parts
from toolect._spec.problems import Problems, either, near, one_of
from toolect._spec.shape_model import HoleKind, Shape
from toolect._spec.shapes import CHECK, Shapes, is_shape

_DATA = (TERMINAL, TEXT, VALUE_RULE)

_KINDS: dict[Role, tuple[str, ...]] = {
    Role.CONTENT: (RULE,),
    Role.REASONING: (RULE,),
    Role.CALL: (RULE,),
    Role.CODE: (RULE,),
    Role.ARGUMENT: (RULE,),
    Role.NAME: _DATA,
    Role.ID: _DATA,
    Role.KEY: _DATA,
    Role.ARGUMENTS: (TEXT, VALUE_RULE, JSON),
    Role.VALUE: (TEXT, VALUE_RULE, JSON),
}
ROLES = tuple(role.value for role in _KINDS)
"""The roles that a map may name."""
BY_ITSELF = (Role.CONTENT, Role.REASONING)
"""Roles of a rule that need no more: its texts are what it is."""
MEANT = {
    **dict.fromkeys(("think", "thinking", "thought"), Role.REASONING),
    **dict.fromkeys(("text", "answer", "message"), Role.CONTENT),
    **dict.fromkeys(("tool", "tool_call", "function"), Role.CALL),
    **dict.fromkeys(("name", "tool.name", "function.name"), Role.NAME),
    **dict.fromkeys(("arguments", "args", "parameters"), Role.ARGUMENTS),
    **dict.fromkeys(("key", "parameter.name", "argument.name"), Role.KEY),
    **dict.fromkeys(("value", "parameter.value"), Role.VALUE),
    "parameter": Role.ARGUMENT,
    "id": Role.ID,
}
"""Other words for roles."""
_OLD_ROLES = {
    "call.index": "write `{written: $index}`",
    "argument.type": "write `{written: $type}`",
    "call.again": "write `call`: one that says no name is one more call of the tool before it",
    "call.ref": 'write `call.id`, and `ids: {form: "functions.{name}:{index}"}`',
    "markup": 'write the text into the grammar, before the pattern: `LABEL: "text" | /…/`',
}
"""Roles of earlier versions, and what to write instead."""

_ROLES_OF_HOLES: dict[str, Role] = {
    HoleKind.NAME: Role.NAME, HoleKind.ID: Role.ID, HoleKind.ARGUMENTS: Role.ARGUMENTS, "$key": Role.KEY,
    "$value": Role.VALUE, "$argument": Role.ARGUMENT, "$call": Role.CALL, "$content": Role.CONTENT,
    "$reasoning": Role.REASONING,
}  # fmt: skip


class Meanings(NamedTuple):
    """Meanings from a map: the role or the shape of each part, and what goes with some of them."""

    roles: dict[str, Role]
    shapes: dict[str, Shape]
    texts: dict[str, TextShape]
    written: dict[str, str]
    before_call: list[str]
    code: list[str]


class TextShape(NamedTuple):
    """Shape of a text slot: the text is the only argument, with the name `key`, of a call, perhaps of a fixed tool."""

    key: str
    name: str | None


def read_map(table: YamlTable, named: Shapes, rules: dict[str, Rule], own: set[str], problems: Problems) -> Meanings:
    """Roles and shapes, some of them `named`.

    A key that is not among `own` may name nothing: another entry wrote it for its own grammar.
    """
    parts = Parts(rules)
    meanings = Meanings({}, {}, {}, {}, [], [])
    for key, value in table.entries:
        kind = parts.find(key, problems, quiet=key.text not in own)
        if kind is RULE and "/" in key.text:
            kind = "a rule inside a rule"
        match value:
            case YamlTable(entries=((YamlScalar("written"), text),)):
                if (computed := choose(text, list(Computed), "what is written", problems)) and kind is not None:
                    _expect((TERMINAL,), kind, key, "what is written", problems)
                    meanings.roles[key.text], meanings.written[key.text] = Role.MARKUP, computed
            case YamlTable(entries=((YamlScalar("content"), place),)) if kind is not JSON:
                if choose(place, ["before call"], "where the content is written", problems) and kind is not None:
                    _expect((RULE,), kind, key, f"the role `{Role.CONTENT}`", problems)
                    meanings.roles[key.text] = Role.CONTENT
                    meanings.before_call.append(key.text)
            case YamlTable(entries=((YamlScalar("markup" | "call" as word), YamlScalar(text)),)) if kind is not JSON:
                hint = "write `{written: $name}`" if text == HoleKind.NAME else _OLD_ROLES["markup"]
                if word == "call":
                    hint = f"write `call`, and for its slot `{{name: {text}, arguments: {{value: $text}}}}`"
                problems.error(
                    "unknown-role", f"expected a role or a shape, got `{{{word}: {text}}}`", key.place, hint=hint
                )
            case YamlTable() if kind is TEXT:
                if text_shape := _text_shape(value, problems):
                    meanings.roles[key.text], meanings.texts[key.text] = Role.ARGUMENTS, text_shape
            case YamlScalar(text) if kind is not None and kind is not JSON and text in _ROLES_OF_HOLES:
                hint = f"a hole stands in a shape; the role is `{_ROLES_OF_HOLES[text]}`"
                problems.error(
                    "wrong-role", f"expected a role for {kind}, got the hole `{text}`", value.place, hint=hint
                )
            case _ if is_shape(value):
                shape = named.read(value)
                if kind is not None and _expect((JSON,), kind, key, "a shape", problems) and shape is not None:
                    meanings.shapes[key.text] = shape
            case _:
                role = _role(value, problems)
                if role and kind is not None and _expect(_KINDS[role], kind, key, f"the role `{role}`", problems):
                    if role is Role.CODE:
                        meanings.code.append(key.text)
                    else:
                        meanings.roles[key.text] = role
    if len(meanings.code) > 1:
        problems.error("wrong-role", f"expected one rule with the role `code`, got {len(meanings.code)}", table.place)
    _mark_written(meanings, rules)
    _mark_again(meanings, rules)
    return meanings


def _expect(wanted: tuple[str, ...], kind: str, key: YamlScalar, what: str, problems: Problems) -> bool:
    """True when the part `key`, which is of a `kind`, may have the meaning `what`."""
    if kind not in wanted:
        problems.error("wrong-role", f"expected {either(wanted)} for {what}, got {kind}", key.place)
    return kind in wanted


def _text_shape(node: YamlTable, problems: Problems) -> TextShape | None:
    """The shape of a text slot: `{name: python, arguments: {code: $text}}`, the name only where none is said."""
    name, arguments = node.get("name"), node.get("arguments")
    for key, _ in node.entries:
        if key.text not in ("name", "arguments"):
            problems.error(CHECK, f"expected `name` and `arguments`, got `{key.text}`", key.place)
    if name is not None and (not isinstance(name, YamlScalar) or not name.text):
        problems.error(CHECK, f"expected the name of a tool, got {describe(name)}", name.place)
    match arguments:
        case YamlTable(entries=((YamlScalar(argument), YamlScalar("$text")),)):
            return TextShape(argument, name.text if isinstance(name, YamlScalar) else None)
        case _:
            got = "none" if arguments is None else describe(arguments)
            message = f"expected `arguments` with one argument that is `$text`, got {got}"
            problems.error(CHECK, message, node.place if arguments is None else arguments.place)
            return None


def take_texts(meanings: Meanings, codecs: dict[str, Codec], table: YamlTable, problems: Problems) -> dict[str, str]:
    """Rule → the tool that it always calls. The argument that a text is goes into `codecs`."""
    names = {}
    for key, _ in table.entries:
        rule, _, slot = key.text.partition("/")
        codec, shape = codecs.get(key.text), meanings.texts.get(key.text)
        if shape is not None:
            codecs[key.text] = replace(codec or Codec(CodecKind.TEXT), key=shape.key)
            if shape.name is not None:
                names[rule] = shape.name
                if meanings.roles.get(rule) is not Role.CALL:
                    message = f"`{key.text}` says the name of a call, but `{rule}` has not the role `call`"
                    problems.error("wrong-role", message, key.place, hint=f"write `{rule}: call` into the map")
            continue
        plain = slot == SlotKind.TEXT.value and (codec is None or codec.kind is not CodecKind.JSON)
        if plain and meanings.roles.get(key.text) is Role.ARGUMENTS:
            message = f"expected a shape for `{key.text}`, which is a text, got the role `{Role.ARGUMENTS}`"
            hint = "write which argument the text is: `{arguments: {code: $text}}`"
            problems.error("wrong-role", message, key.place, hint=hint)
    return names


def _mark_written(meanings: Meanings, rules: dict[str, Rule]) -> None:
    """A terminal whose text the grammar says needs no meaning."""
    for rule in rules.values():
        for part in leaves(rule.expr) if not rule.value else ():
            if not isinstance(part, Pattern) or not part.written:
                continue
            if part.name not in meanings.roles and f"{rule.name}/{part.name}" not in meanings.roles:
                meanings.roles[part.name] = Role.MARKUP
                meanings.written[part.name] = part.written


def _mark_again(meanings: Meanings, rules: dict[str, Rule]) -> None:
    """A call that says no name, where others do, is one more call of the tool that the one before it named."""
    calls = [name for name, role in meanings.roles.items() if role is Role.CALL and name in rules]
    silent = [name for name in calls if not _says_name(name, meanings, rules)]
    if len(silent) < len(calls):
        meanings.roles.update(dict.fromkeys(silent, Role.AGAIN))


def _says_name(name: str, meanings: Meanings, rules: dict[str, Rule]) -> bool:
    """True when rule `name` holds the name of a tool."""
    todo, met = [name], {name}
    while todo:
        rule = rules[todo.pop()]
        for part in leaves(rule.expr):
            inner = part.rule if isinstance(part, Ref) else part.kind.value if isinstance(part, Slot) else part.name
            key = f"{rule.name}/{inner}"
            shape, text = meanings.shapes.get(key), meanings.texts.get(key)
            if said_of(meanings.roles, rule.name, inner) in (Role.NAME, Role.ID):  # an id may say the name
                return True
            if shape is not None and HoleKind.NAME in holes(shape) or text is not None and text.name is not None:
                return True
            if isinstance(part, Ref) and inner not in met:
                met.add(inner)
                todo.append(inner)
    return False


def _role(node: Node, problems: Problems) -> Role | None:
    if not isinstance(node, YamlScalar) or not node.text:
        problems.error("wrong-type", f"expected a role or a shape, got {describe(node)}", node.place)
        return None
    if node.text in _KINDS:
        return Role(node.text)
    quoted = "write the shape without quotes around it" if node.text[:1] in ("{", "[") else ""
    meant = f"did you mean `{MEANT[node.text]}`?" if node.text in MEANT else ""
    hint = _OLD_ROLES.get(node.text) or quoted or meant or near(node.text, _KINDS) or f"a role is {one_of(_KINDS)}"
    problems.error("unknown-role", f"expected a role or a shape, got `{node.text}`", node.place, hint=hint)
    return None


def begins_with_name(rule: Rule, roles: dict[str, Role]) -> bool:
    """True when `rule` is a call that begins with its name, perhaps after a sign of a few characters."""
    if roles.get(rule.name) is not Role.CALL:
        return False
    for option in rule.expr.items if isinstance(rule.expr, Alt) else (rule.expr,):
        items = option.items if isinstance(option, Seq) else (option,)
        part = items[1] if len(items) > 1 and isinstance(items[0], Literal) and len(items[0].text) < 4 else items[0]
        if isinstance(part, Pattern):
            role = said_of(roles, rule.name, part.name)
            if role is Role.NAME:
                return True
    return False


def names_twice(rule: Rule, roles: dict[str, Role]) -> bool:
    """True when `rule` is a call with its name at both ends, as a tag has it."""
    options = (tuple(leaves(option)) for option in alternatives(rule.expr))
    return roles.get(rule.name) is Role.CALL and any(
        sum(isinstance(part, Pattern) and said_of(roles, rule.name, part.name) is Role.NAME for part in parts) > 1
        for parts in options
    )
