"""Finds what an entry of a chat says without any effect."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from toolect._chats.plan import Plans
from toolect._spec.chat_model import TRIMMED, ChatRole, ChatSlot, ChatSpec
from toolect._spec.document import Table
from toolect._spec.grammar_model import Pattern
from toolect._spec.leaves import leaves
from toolect._spec.problems import one_of
from toolect.authoring.lint.chat_subject import ChatSubject
from toolect.diagnostic import Diagnostic, warning

_MAPPINGS = ("map", "when", "refuse", "trim", "escapes", "markers")
_TELLING: dict[str, tuple[ChatSlot, ...]] = {
    "tools": (ChatSlot.TOOLS, ChatSlot.TOOL),
    "arguments": (ChatSlot.ARGUMENTS, ChatSlot.VALUE),
    "scalars": (ChatSlot.VALUE,),
    "lists": (ChatSlot.VALUE,),
    "escapes": (ChatSlot.VALUE,),
    "date": (ChatSlot.DATE,),
}
"""Fields that say how slots are filled, by their names."""
_PLAIN = (*_TELLING, "system", "systems", "output", "thoughts")


def chat(subject: ChatSubject) -> Iterator[Diagnostic]:
    """A diagnostic for each setting that the entry could do without."""
    for keys in _settings(subject.loaded.entry.table):
        if why := _useless(subject, keys):
            what = f"`{keys[1]}` changes nothing in `{keys[0]}`" if len(keys) > 1 else f"`{keys[0]}` changes nothing"
            yield warning("idle-field", what, subject.field(*keys), label=why, help="leave it out")


def _settings(table: Table) -> Iterator[tuple[str, ...]]:
    for field, value in table.entries:
        if field.text in _PLAIN:
            yield (field.text,)
        elif field.text in _MAPPINGS and isinstance(value, Table):
            yield from ((field.text, key.text) for key, _ in value.entries)


def _useless(subject: ChatSubject, keys: tuple[str, ...]) -> str:
    """Why the setting at `keys` is of no use; empty when it is of use."""
    spec = subject.spec
    slots = _slots(spec)
    match keys:
        case [field] if (wanted := _TELLING.get(field)) and not slots.keys() & {*wanted}:
            return f"the grammar has no slot {one_of(wanted)}"
        case ["system" | "systems"] if not Plans(spec).hoists:
            return "no rule before the turns is of the system"
        case ["output"] if ChatRole.RESULT not in slots.get(ChatSlot.TEXT, ()):
            return "no result has a `TEXT`"
        case ["thoughts"] if not Plans(spec).thought_closer:
            return "no rule of reasoning has a closer"
        case ["trim", word] if word not in _texts(spec):
            return f"`{word}` has no {one_of(TRIMMED)}"
    without = subject.without(*keys)
    if without is None or replace(without, place=spec.place) != spec:
        return ""
    extends = subject.loaded.entry.table.get("extends") is not None
    return "the entry that it extends says the same, or it is the default" if extends else "it is the default"


def _slots(spec: ChatSpec) -> dict[ChatSlot, set[ChatRole | None]]:
    """The slots of the grammar, each with the roles of the rules that it stands in."""
    found: dict[ChatSlot, set[ChatRole | None]] = {}
    for rule in spec.rules.values():
        for part in leaves(rule.expr):
            if isinstance(part, Pattern) and part.name in {*ChatSlot}:
                found.setdefault(ChatSlot(part.name), set()).add(spec.roles.get(rule.name))
    return found


def _texts(spec: ChatSpec) -> set[str]:
    """The rules that have a text that can be trimmed, and their roles."""
    found: set[str] = set()
    for rule in spec.rules.values():
        if any(isinstance(part, Pattern) and part.name in TRIMMED for part in leaves(rule.expr)):
            found |= {rule.name, str(spec.roles.get(rule.name, rule.name))}
    return found
