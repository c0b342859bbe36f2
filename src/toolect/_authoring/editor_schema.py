"""JSON Schemas of spec files for editors, made from the types that entries are read by."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any, get_args

import msgspec

from toolect._message import Json
from toolect._spec.chat_load import FIELDS as CHAT_FIELDS
from toolect._spec.chat_model import ChatFields, ChatRole
from toolect._spec.codecs import CodecOptions
from toolect._spec.costs import Costs
from toolect._spec.entry import FIELDS, OWN, Plain
from toolect._spec.meaning import ROLES
from toolect._spec.model import Gaps, IdForm
from toolect._spec.policies import Policies
from toolect._turns import MediaKind

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_SHAPE = {"anyOf": [{"type": ["object", "array"]}, {"type": "string", "pattern": r"^\$"}]}


def editor_schema() -> dict[str, Json]:
    """The schema, with a definition for each field that is a mapping of its own."""
    kinds = [Gaps, IdForm, CodecOptions, Costs, Policies]
    found, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    gaps, ids, options, costs, policies = found
    codec = {"anyOf": [parts["CodecKind"], options]}
    fields: dict[str, Any] = {
        **{field.encode_name: _plain(field.type) for field in msgspec.structs.fields(Plain)},
        "extends": _TEXT,
        "markers": _table(_TEXT),
        "shapes": _table({}),
        "map": _table({"anyOf": [{"enum": list(ROLES)}, *_SHAPE["anyOf"]]}),
        "values": _table(codec),
        "gaps": gaps,
        "prefill": _table(_TEXT),
        "end": _TEXTS,
        "ids": ids,
        "misspellings": _table(_TEXTS),
        "costs": costs,
        "policies": policies,
    }
    for part in parts.values():
        _tighten(part)
    entry = {
        "type": "object",
        "additionalProperties": False,
        "anyOf": [{"required": ["map"]}, {"required": ["extends"]}],
        "properties": {name: _told(name, fields[name]) for name in FIELDS},
    }
    return _schema("toolect: dialects of tool calls", entry, parts)


def chat_schema() -> dict[str, Json]:
    """The schema of files with chats."""
    (_,), parts = msgspec.json.schema_components([ChatFields], ref_template="#/$defs/{name}")
    for part in parts.values():
        _tighten(part)
    plain = parts.pop("ChatFields")["properties"]
    guard = {"type": "string", "pattern": "^[a-z() -]+$", "description": "facts joined by `and`, `or`, `not`"}
    fields: dict[str, Any] = {
        **{name: {key: value for key, value in field.items() if key != "default"} for name, field in plain.items()},
        "extends": _TEXT,
        "markers": _table(_TEXT),
        "map": _table({"enum": [*ChatRole]}),
        "when": _table(guard),
        "refuse": _table(guard),
        "media": {**_table(_TEXT), "propertyNames": {"enum": sorted(get_args(MediaKind))}},
    }
    entry = {
        "type": "object",
        "additionalProperties": False,
        "properties": {name: fields[name] for name in CHAT_FIELDS},
    }
    return _schema("toolect: chats", entry, parts)


def _schema(title: str, entry: dict[str, Any], parts: dict[str, Any]) -> dict[str, Json]:
    """The schema of a file that has such entries."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "additionalProperties": {"$ref": "#/$defs/Entry"},
        "$defs": {"Entry": entry, **parts},
    }


def _plain(kind: Any) -> dict[str, Any]:
    return _TEXT if kind in (str, "str") else _TEXTS


def _table(values: dict[str, Any]) -> dict[str, Any]:
    """A mapping with any keys."""
    return {"type": "object", "additionalProperties": values}


def _tighten(part: dict[str, Any]) -> None:
    """Make a struct's schema say what reading does: no other keys, whole patterns, what `extends` hands on left out."""
    part.pop("title", None)
    part.pop("required", None)
    if "description" in part:
        part["description"] = cleandoc(part["description"])  # as it is from Python 3.13 on
    if "properties" in part:
        part["additionalProperties"] = False
    for value in [part, *part.get("properties", {}).values()]:
        for inner in (value, *value.get("anyOf", ())):
            if "pattern" in inner and not inner["pattern"].startswith("^"):
                inner["pattern"] = f"^(?:{inner['pattern']})$"


def _told(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a field, with where to read about it."""
    own = "; not handed on by `extends`" if name in OWN else ""
    return {**schema, "description": f"docs/guide/dialects.md#{name}{own}"}
