"""Codecs of the slots of a grammar, from an entry's `values`."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Annotated

import msgspec
from msgspec.structs import replace

from toolect._message import dumps
from toolect._spec.codec_model import Codec, CodecKind, Layout, LayoutKind, Spelling
from toolect._spec.decode import REGEX, read_struct
from toolect._spec.document import Node, YamlScalar, YamlTable, choose, describe
from toolect._spec.grammar_model import Escapes, Expr, Literal, Ref, Slot, SlotKind
from toolect._spec.leaves import leaves
from toolect._spec.linear import check_linear
from toolect._spec.model import Role, Rule
from toolect._spec.parts import JSON, TERMINAL, TEXT, Parts
from toolect._spec.problems import Problems, one_of

_NEEDS = {
    Spelling.YAML: (CodecKind.JSON, (Role.ARGUMENTS, Role.VALUE)),
    Spelling.ELEMENTS: (CodecKind.SCHEMA, (Role.VALUE,)),
}
"""Spellings that are for text slots only, with one codec and these roles."""
_OLD = {
    "key": "give the slot a shape in the map: `{arguments: {name: $text}}`",
    "scalars": "write `spelling: python`, or `jinja` where lists and objects are JSON",
    "containers": "write `spelling: python`",
    "strings": "write `quoted`, for a slot that only its closers end",
    "stops": "write `quoted`, with an expression that is found in the strings that need it",
}
"""Options of earlier versions, and what to do instead."""
_OLD_CODECS = {
    "entities": "write `{escapes: entities}`",
    "elements": "write `{codec: schema, spelling: elements}`",
    "yaml": "write `{codec: json, spelling: yaml}`",
}
"""Codecs of earlier versions, and what to write instead."""
_OWN_ESCAPES = {
    JSON: "leave it out: JSON has its own escapes",
    TEXT: "its name in the grammar says whose escapes it has: `ESCAPED` has those of JSON, `ESCAPED_PYTHON` Python's",
}
"""Why a slot may not declare escapes."""
_LAYOUT = msgspec.Meta(
    pattern="spaced|compact|(rows|indented) [1-9]",
    description="a layout (`spaced`, `compact`, `rows 4`, `indented 4`)",
)


class CodecOptions(msgspec.Struct, frozen=True):
    """A codec and its options, as an entry writes them."""

    codec: CodecKind | None = None
    spelling: Spelling = Spelling.JSON
    untyped: typing.Literal["text", "json", "json-or-text"] = "json-or-text"
    layout: Annotated[str, _LAYOUT] = "spaced"
    quoted: Annotated[str, REGEX] | None = None
    escapes: Escapes | None = None
    escaped: str | None = None


def read_codecs(
    table: YamlTable, rules: dict[str, Rule], roles: dict[str, Role], own: set[str], problems: Problems
) -> dict[str, Codec]:
    """The codec of each slot named in `values`."""
    parts = Parts(rules, values=True)
    codecs: dict[str, Codec] = {}
    declared = {
        f"{rule.name}/TEXT": part.escapes
        for rule in rules.values()
        for part in leaves(rule.expr)
        if isinstance(part, Slot) and part.kind is SlotKind.TEXT and part.escapes is not Escapes.JSON
    }
    for key, value in table.entries:
        if key.text in CodecOptions.__struct_fields__ and key.text not in parts.kinds:
            valued = (slot for slot, kind in parts.kinds.items() if kind is TEXT and slot in roles)
            _told_of_none(key, next(valued, ""), problems)
            continue
        kind = parts.find(key, problems, quiet=key.text not in own)
        codec = _codec(value, kind, problems)
        if kind is None or codec is None:
            continue
        if kind is TERMINAL and codec.kind is not CodecKind.TEXT and not key.text.startswith(f"{Role.SCALAR}/"):
            message = f"expected `text` as the codec of a terminal, got `{codec.kind}`"
            hint = "names and keys are texts: say it of the slot of the value, or leave it out"
            problems.error("wrong-value", message, value.place, hint=hint)
        elif kind in (TEXT, JSON, TERMINAL):
            codecs[key.text] = codec
            needs = _NEEDS.get(codec.spelling)
            role = roles.get(key.text) or roles.get(key.text.partition("/")[0])
            if codec.escapes is not None and (kind is JSON or key.text.endswith("/ESCAPED")):
                message = f"expected a `TEXT` slot or a terminal for `escapes`, got `{key.text}`"
                problems.error("wrong-role", message, key.place, hint=_OWN_ESCAPES[kind])
            if needs is not None and (kind is not TEXT or role not in needs[1] or codec.kind is not needs[0]):
                wanted = f"{TEXT} with the codec `{needs[0]}` and the role {one_of(needs[1])}"
                message = f"expected {wanted} for the spelling `{codec.spelling}`, got `{key.text}`, `{codec.kind}`"
                problems.error("wrong-role", message, key.place)
        else:
            problems.error("wrong-role", f"expected a slot or a terminal for a codec, got {kind}", key.place)
    for name, escapes in declared.items():
        codec = codecs.get(name)
        if codec is None:
            codec = Codec(CodecKind.JSON_OR_TEXT if name == f"{Role.SCALAR}/TEXT" else CodecKind.TEXT)
        codecs[name] = codec if codec.escapes is not None else replace(codec, escapes=escapes)
    for key, value in table.entries:
        codec = codecs.get(key.text)
        if codec is not None and codec.escaped is not None and not key.text.endswith("/ESCAPED"):
            _check_escaped(codec, codec.escaped, value, problems)
    for name, codec in codecs.items():
        if codec.spelling is Spelling.YAML and (column := _column(rules, name.partition("/")[0])):
            codecs[name] = replace(codec, column=column)
    return codecs


def _check_escaped(codec: Codec, signs: str, node: Node, problems: Problems) -> None:
    """Note signs that the escapes of a codec cannot write."""
    twice = {Escapes.APOSTROPHES: "'", Escapes.QUOTES: '"'}.get(codec.escapes) if codec.escapes else ""
    if twice is not None and set(signs) - {*twice}:
        given = f"`{codec.escapes}`" if twice else "none"
        message = f"expected escapes that can write {dumps(signs)}, got {given}"
        hint = f"leave `escaped` out: they write {twice} alone" if twice else "say which: `escapes: entities`, …"
        problems.error("wrong-value", message, node.place, hint=hint)


def _column(rules: dict[str, Rule], name: str) -> int:
    """Number of blanks that the grammar has right before the text of rule `name`, on a line that begins with them."""
    found = _before(rules[name].expr, lambda part: isinstance(part, Slot))
    if not found:
        held = (_before(rule.expr, lambda part: part == Ref(name)) for rule in rules.values())
        found = next(filter(None, held), "")
    line, blanks = found.rpartition("\n")[1:]
    return len(blanks) if line and not blanks.strip(" ") else 0


def _before(expr: Expr, found: Callable[[Expr], bool]) -> str:
    """The marker right before the first part that is `found`; empty for none."""
    parts = list(leaves(expr))
    at = next((at for at, part in enumerate(parts) if found(part)), 0)
    before = parts[at - 1] if at else None
    return before.text if isinstance(before, Literal) else ""


def _told_of_none(option: YamlScalar, slot: str, problems: Problems) -> None:
    """Note an option of a codec where the name of a slot should stand; `slot` is one that may be meant."""
    message = f"expected a slot, got `{option.text}`, which is said of one"
    hint = f"write the slot first: `values: {{{slot or 'rule/TEXT'}: {{{option.text}: …}}}}`"
    problems.error("unknown-part", message, option.place, hint=hint)


def _codec(node: Node, part: str | None, problems: Problems) -> Codec | None:
    """The codec of a `part`; where none is said, that of all parts of its kind."""
    if isinstance(node, YamlScalar) and node.text in _OLD_CODECS:
        hint = _OLD_CODECS[node.text]
        problems.error("wrong-value", f"expected a codec, got `{node.text}`", node.place, hint=hint)
        return None
    if isinstance(node, YamlScalar):
        kind = choose(node, [k.value for k in CodecKind], "a codec", problems)
        return Codec(CodecKind(kind)) if kind else None
    if not isinstance(node, YamlTable):
        message = f"expected a codec or a mapping of its options, got {describe(node)}"
        problems.error("wrong-type", message, node.place)
        return None
    before = len(problems.found)
    fields = read_struct(node, CodecOptions, problems, _OLD)
    if len(problems.found) > before:
        return None
    options = CodecOptions(**fields)
    if options.quoted is not None:
        check_linear("`quoted`", options.quoted, (node.get("quoted") or node).place, problems, searched=True)
    kind, _, indent = options.layout.partition(" ")
    return Codec(
        options.codec or (CodecKind.JSON if part is JSON else CodecKind.TEXT),
        options.spelling,
        CodecKind(options.untyped),
        layout=Layout(LayoutKind(kind), int(indent or 0)),
        quoted=options.quoted,
        escapes=options.escapes,
        escaped=options.escaped,
    )
