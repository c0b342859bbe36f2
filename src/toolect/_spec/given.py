"""An entry and a grammar that a program gives as texts or data, laid where specs are read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolect import _files as files
from toolect._diagnostic import SpecError
from toolect._message import check_type, dumps, kind_of
from toolect._spec.document import YamlTable, read_document
from toolect._spec.entry import FIELDS
from toolect._spec.problems import Problems

_WHERE = "entry={name: {…}}, or name=…"


def give(entry: str | Mapping[str, Any], grammar: str, name: str) -> Path:
    """The path under which the entry can be loaded.

    Raises TypeError or ValueError for what is no entry of one name, `SpecError` for what is no YAML.
    """
    for what, given in {"grammar": grammar, "name": name}.items():
        check_type(given, str, f"a dialect's {what}")
    text = _text(entry, name)
    draft = files.GIVEN / f"{name or 'entry'}.yaml"
    files.give(draft, text)
    problems = Problems()
    table = read_document(draft, text, problems)
    if table is None or problems.failed:
        raise SpecError(problems.found)
    found, own = _name(table, bool(name))
    if name:
        _check_unnamed(own, name)
    path = files.GIVEN / f"{found}.yaml"
    files.give(path, text)
    if not grammar and not (isinstance(own, YamlTable) and own.get("extends")):
        raise ValueError(
            f"expected a grammar for `{found}`, got none: give grammar=…, or an entry that extends another"
        )
    files.give(path.parent / "grammars" / f"{found}.lark", grammar or None)
    return path


def _text(entry: str | Mapping[str, Any], name: str) -> str:
    """The entry as the text of a YAML file."""
    if isinstance(entry, Mapping):
        try:
            held = json.loads(dumps({**entry}))
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"expected an entry of what YAML can hold, got one with {error}") from None
        lines = [f"{dumps(key)}: {dumps(value)}" for key, value in held.items()] or ["{}"]
        entry = "\n".join(lines)
    elif not isinstance(entry, str):
        raise TypeError(f"expected an entry as a mapping or as the text of one, got {kind_of(entry)}: give {_WHERE}")
    return "\n".join([f"{dumps(name)}:", *(f"  {line}" for line in entry.split("\n"))]) + "\n" if name else entry


def _name(table: YamlTable, said: bool) -> tuple[str, object]:
    """The one name that a file has an entry for, and that entry; `said`: the name was given by itself.

    Raises ValueError for none or several.
    """
    names = [key.text for key, _ in table.entries]
    if names and not said and set(names) <= {*FIELDS}:
        raise ValueError(f"expected a dialect's name, got the fields of an entry without one: give {_WHERE}")
    if len(names) != 1:
        raise ValueError(f"expected the entry of one dialect, got {len(names) or 'none'}: give {_WHERE}")
    return names[0], table.entries[0][1]


def _check_unnamed(own: object, name: str) -> None:
    """Raises ValueError where the entry to be called `name` has a name already."""
    if not isinstance(own, YamlTable) or len(own.entries) != 1:
        return
    (key, inner), *_ = own.entries
    fields = {field.text for field, _ in inner.entries} if isinstance(inner, YamlTable) else set()
    if key.text in FIELDS or not fields or not fields <= {*FIELDS}:
        return
    if key.text == name:
        raise ValueError(f"expected the fields of an entry beside name=, got `{name}` again: leave out name=")
    advice = f"leave out name=, or give what stands under `{key.text}`"
    raise ValueError(f"expected the fields of `{name}`, got the entry of `{key.text}`, which has its name: {advice}")
