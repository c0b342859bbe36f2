"""No two dialects may answer to the same name."""

from __future__ import annotations

from toolect._diagnostic import Place
from toolect._names import fold
from toolect._spec.entry import Entry
from toolect._spec.problems import Problems


def check_names(entries: dict[str, Entry], problems: Problems) -> None:
    """Aliases and model patterns must lead to one dialect each."""
    owners: dict[str, tuple[str, Place]] = {}
    for name, entry in entries.items():
        _claim(fold(name), name, name, entry.name.place, owners, "duplicate-alias", problems)
    for name, entry in entries.items():
        for alias in entry.texts("aliases", Problems()):
            _claim(fold(alias.text), alias.text, name, alias.place, owners, "duplicate-alias", problems)
    patterns: dict[str, tuple[str, Place]] = {}
    for name, entry in entries.items():
        for model in entry.texts("models", Problems()):
            _claim(model.text.casefold(), model.text, name, model.place, patterns, "duplicate-model", problems)


def _claim(
    key: str,
    written: str,
    owner: str,
    place: Place,
    owners: dict[str, tuple[str, Place]],
    check: str,
    problems: Problems,
) -> None:
    first, at = owners.setdefault(key, (owner, place))
    if first != owner:
        message = f"the name `{written}` leads to both `{first}` and `{owner}`"
        problems.error(check, message, place, label="claimed again", related=((at, "claimed here"),))
