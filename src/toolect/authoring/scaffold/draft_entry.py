"""The entry of a draft."""

from __future__ import annotations

import json
import re

from toolect._spec.model import Ids
from toolect.authoring.scaffold.dialect_draft import Draft
from toolect.authoring.scaffold.draft_grammar import FORMS, holes_of
from toolect.authoring.scaffold.pieces import Hole
from toolect.message import Json, dumps

_ROLES: dict[Hole, Json] = {
    Hole.NAME: "call.name",
    Hole.REF: "call.id",
    Hole.ID: "call.id",
    Hole.INDEX: {"written": "$index"},
    Hole.TYPE: {"written": "$type"},
}
"""What the terminals of a call mean."""


def entry(draft: Draft, name: str, about: str) -> str:
    """The entry of a draft."""
    roles: dict[str, Json] = {"text": "content"} if draft.wrap is not None else {}
    roles["content"] = "content"
    if draft.thought is not None:
        roles["think"] = "reasoning"
    if draft.call and not _has_list(draft.shape):  # each item of a list is a call of its own
        roles["call"] = "call"
    if draft.shape is not None:
        roles["call/JSON"] = draft.shape
    elif Hole.JSON in draft.call:
        roles["call/JSON"] = "$arguments"
    lines = [f"{name}:", f"  about: {dumps(about)}"]
    for hole, role in _ROLES.items():
        if hole in holes_of(draft) or hole is Hole.NAME and Hole.CODE in draft.call:
            roles[hole.value] = role
    codecs: dict[str, str] = {}
    if draft.arguments is not None or Hole.CODE in draft.call:
        rules = FORMS if draft.arguments is not None and len(draft.arguments.forms) > 1 else ("argument",)
        roles |= dict.fromkeys(rules, "argument") | {"KEY": "argument.key"}
        if draft.arguments is None:
            roles["argument/value"] = "argument.value"
        for rule, form in zip(rules, draft.arguments.forms if draft.arguments else (), strict=False):
            for hole in {Hole.TEXT, Hole.JSON, Hole.VALUE} & {*form}:
                roles[f"{rule}/{hole.value}"] = "argument.value"
                if hole is Hole.TEXT and draft.arguments is not None:
                    sign = next(str(part)[-1:] for part in reversed(form[: form.index(hole)]))
                    codecs[f"{rule}/TEXT"] = draft.arguments.codec if rule != "quoted" else _QUOTED.get(sign, "text")
    if draft.arguments is not None and draft.arguments.elements is not None:
        codecs["scalar/TEXT"] = "schema"
    if draft.layout:
        codecs["call/JSON"] = f"{{layout: {draft.layout}}}"
    lines.append("  map:")
    lines += [f"    {key}: {_flow(role)}" for key, role in roles.items()]
    if draft.arguments is not None and draft.arguments.quote not in ("", _GEMMA):
        lines.append(f"  markers: {_flow({_GEMMA: draft.arguments.quote}, quoted=True)}")
    lines += [f"  values: {{{', '.join(f'{slot}: {codec}' for slot, codec in codecs.items())}}}"] if codecs else []
    lines += [f"  ids: {{form: {dumps(draft.reference)}}}"] if Hole.REF in draft.call else []
    lines += [f"  ids: {_ids(draft.ids)}"] if has_ids(draft) else []
    gaps = {"before call": draft.before_call, "between calls": draft.between_calls}
    if any(gaps.values()):
        lines.append(f"  gaps: {_flow({key: gap for key, gap in gaps.items() if gap}, quoted=True)}")
    if draft.thought is not None and draft.thought.prompted:
        lines.append(f"  prefill: {_flow({draft.thought.opener: 'think'}, quoted=True)}")
    lines += [f"  end: {_flow(list(draft.end), quoted=True)}"] if draft.end else []
    return "\n".join(lines) + "\n"


_GEMMA = '<|"|>'
"""What strings stand between in the value language that has bare words and a token for a quote."""
_QUOTED = {"[": '{codec: schema, untyped: text, quoted: "[<>&\\n]"}'}
"""How a text is read that is marked as one, by the sign before it: in CDATA stands what has markup in it."""


def has_ids(draft: Draft) -> bool:
    """True where calls have ids that are not made of their names."""
    return Hole.ID in draft.call or "$id" in repr(draft.shape)


def _ids(ids: Ids) -> str:
    """How ids are made, as an entry says it."""
    further = [("first", ids.first, 0), ("digits", ids.digits, 1)]
    parts = [f"form: {dumps(ids.form)}", *(f"{key}: {value}" for key, value, usual in further if value != usual)]
    return f"{{{', '.join(parts)}}}"


def _has_list(shape: Json) -> bool:
    """True for a shape that holds several calls."""
    return isinstance(shape, list) or isinstance(shape, dict) and any(map(_has_list, shape.values()))


def variant(name: str, base: str, about: str) -> str:
    """The entry of a dialect that is like another."""
    return f"{name}:\n  extends: {base}\n  about: {dumps(about)}\n"


def _flow(value: Json, quoted: bool = False) -> str:
    """A value in YAML's flow style, on one line."""
    match value:
        case dict():
            return "{" + ", ".join(f"{_flow(key)}: {_flow(inner, quoted)}" for key, inner in value.items()) + "}"
        case list():
            return "[" + ", ".join(_flow(inner, quoted) for inner in value) + "]"
        case str() if not quoted and re.fullmatch(r"\$?[A-Za-z_][\w. /]*", value) and value.lower() not in _WORDS:
            return value
        case _:
            return json.dumps(value, ensure_ascii=not str(value).isprintable())


_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
