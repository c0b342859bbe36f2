"""What an entry's `values` say about the slots of a grammar: codecs."""

from __future__ import annotations

import re

from toolect.spec.document import Node, Table, Text, choose, describe
from toolect.spec.model import Codec, CodecKind, Layout, LayoutKind, Role, Rule, Spelling, StopKind
from toolect.spec.parts import JSON, TERMINAL, TEXT, Parts
from toolect.spec.problems import Problems, near, one_of

_NEEDS = {CodecKind.YAML: Role.ARGUMENTS, CodecKind.ELEMENTS: Role.VALUE}
"""Codecs that are for one role only."""
_LAYOUT = re.compile(r"(spaced|compact)|(rows|indented) ([1-9])")


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
        if kind is TERMINAL and codec.kind not in (CodecKind.TEXT, CodecKind.ENTITIES):
            message = f"expected `text` or `entities` as the codec of a terminal, got `{codec.kind}`"
            problems.error("wrong-value", message, value.place)
        elif kind in (TEXT, JSON, TERMINAL):
            codecs[key.text] = codec
            needs = _NEEDS.get(codec.kind)
            role = roles.get(key.text) or roles.get(key.text.partition("/")[0])
            if needs is not None and (kind is not TEXT or role is not needs):
                message = f"expected {TEXT} with the role `{needs}` for the codec `{codec.kind}`, got `{key.text}`"
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
