"""Chat specs out of a `chats.yaml` and the grammars under `grammars/chats` beside it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from toolect._names import Names
from toolect._spec.chat_model import ChatFields, ChatRole, ChatSlot, ChatSpec
from toolect._spec.decode import check_keys, read, read_fields
from toolect._spec.document import Table, Text, describe, read_document, read_text
from toolect._spec.entry import NAME, Entry
from toolect._spec.grammar import read_grammar
from toolect._spec.guards import BadGuard, read_guard
from toolect._spec.leaves import leaves
from toolect._spec.model import Pattern, Rule
from toolect._spec.problems import Problems, in_order, near
from toolect._spec.variant import inherit, replace_markers
from toolect.diagnostic import Diagnostic, Place, Severity, SpecError

FIELDS = (*(field.name for field in msgspec.structs.fields(ChatFields)), "extends", "markers", "map", "when", "refuse")
"""The fields of an entry of `chats.yaml`."""
_OWN = ("templates",)
"""Fields that are not handed on, beside those of a dialect."""
_SLOTS = {slot.value: Pattern("", slot.value) for slot in ChatSlot}


def read_chat_names(path: Path) -> tuple[dict[str, Names], list[Diagnostic]]:
    """What the entries of a file answer to, and the problems of the file; no grammar is read."""
    problems, aside = Problems(), Problems()
    names = {
        name: Names(
            tuple(t.text for t in entry.texts("aliases", aside)),
            tuple(t.text for t in entry.texts("models", aside)),
            entry.text("extends", aside),
        )
        for name, entry in read_chat_entries(path, problems).items()
    }
    return names, problems.found + aside.found


def read_chat_entries(path: Path, problems: Problems) -> dict[str, Entry]:
    """The entries of a file by name."""
    text = read_text(path, problems, "missing-spec")
    document = None if text is None else read_document(path, text, problems)
    entries = {}
    for key, node in document.entries if document else ():
        if not NAME.fullmatch(key.text):
            problems.error("bad-name", f"expected a chat's name, got {describe(key)}", key.place)
        elif not isinstance(node, Table):
            problems.error("wrong-type", f"expected a mapping for `{key.text}`, got {describe(node)}", key.place)
        else:
            check_keys(node, FIELDS, problems)
            entries[key.text] = Entry(key, Table(tuple(e for e in node.entries if e[0].text in FIELDS), node.place))
    return entries


def load_chats(path: str | Path) -> tuple[dict[str, ChatSpec], list[Diagnostic]]:
    """Every chat of a file that could be loaded, and every problem."""
    problems = Problems()
    entries = read_chat_entries(Path(path), problems)
    found = {name: spec for name in entries if (spec := _load(Path(path), entries, name, problems)) is not None}
    return found, in_order(problems.found)


def load_chat(path: str | Path, name: str) -> ChatSpec:
    """One chat of a file. Raises `SpecError`."""
    problems = Problems()
    entries = read_chat_entries(Path(path), Problems())
    if name not in entries:
        problems.error(
            "unknown-dialect", f"no entry is named `{name}`", Place(str(path), 1, 1), hint=near(name, entries)
        )
    spec = _load(Path(path), entries, name, problems) if name in entries else None
    if spec is None:
        raise SpecError([d for d in in_order(problems.found) if d.severity is Severity.ERROR])
    return spec


def _load(path: Path, entries: dict[str, Entry], name: str, problems: Problems) -> ChatSpec | None:
    entry = whole = entries[name]
    grammar = _grammar(path, name)
    before = len(problems.found)
    inherited = False
    if entry.table.get("extends") is not None:
        other = entries.get(entry.text("extends", problems))
        if other is None or other.table.get("extends") is not None:
            message = f"expected an entry that stands alone, got `{entry.text('extends', Problems())}`"
            problems.error(
                "unknown-dialect", message, entry.name.place, hint=near(entry.text("extends", problems), entries)
            )
            return None
        kept = tuple(e for e in other.table.entries if e[0].text not in _OWN)
        whole = inherit(entry, Entry(other.name, Table(kept, other.table.place)))
        if not grammar.exists():
            grammar, inherited = _grammar(path, other.name.text), True
    read_rules = read_grammar(grammar, problems, entry.name.place, _SLOTS)
    if read_rules is None:
        return None
    rules, whole = replace_markers(entry, whole, read_rules.rules, inherited, problems)
    roles = _roles(whole, rules, problems)
    when, refuse = _guards(whole, "when", problems), _guards(whole, "refuse", problems)
    for key, _ in whole.mapping("when", problems).entries:
        if key.text not in rules:
            problems.error(
                "unknown-part", f"the grammar has no rule `{key.text}`", key.place, hint=near(key.text, rules)
            )
    _check_slots(rules, roles, problems)
    fields = read_fields(whole.table, ChatFields, problems)
    if any(d.severity is Severity.ERROR for d in problems.found[before:]):
        return None
    return ChatSpec(
        **fields,
        name=name,
        rules=rules,
        roles=roles,
        when=when,
        refuse=refuse,
        place=entry.name.place,
    )


def _roles(whole: Entry, rules: dict[str, Rule], problems: Problems) -> dict[str, ChatRole]:
    """The roles of rules: what the map says, else the rule's own name."""
    roles = {name: ChatRole(name) for name in rules if name in {*ChatRole}}
    for key, node in whole.mapping("map", problems).entries:
        role = read(node, ChatRole, f"`{key.text}`", problems)
        if key.text not in rules:
            problems.error(
                "unknown-part", f"the grammar has no rule `{key.text}`", key.place, hint=near(key.text, rules)
            )
        elif role is not None:
            roles[key.text] = role
    return roles


def _guards(whole: Entry, field: str, problems: Problems) -> dict[str, str]:
    found = {}
    for key, node in whole.mapping(field, problems).entries:
        try:
            read_guard(node.text if isinstance(node, Text) else "")
        except BadGuard as error:
            problems.error("wrong-value", f"in `{key.text}`: {error}", node.place)
        else:
            assert isinstance(node, Text)
            found[key.text] = node.text
    return found


_HELD: dict[ChatSlot, tuple[ChatRole, ...]] = {
    ChatSlot.TEXT: (ChatRole.SYSTEM, ChatRole.USER, ChatRole.RESULT, ChatRole.CONTENT, ChatRole.REASONING),
    ChatSlot.CALLS: (ChatRole.CALLS,),
    ChatSlot.ANSWER: (ChatRole.ANSWER,),
    ChatSlot.TOOLS: (ChatRole.TOOLS,),
    ChatSlot.TOOL: (ChatRole.TOOL,),
    ChatSlot.NAME: (ChatRole.CALL, ChatRole.RESULT),
    ChatSlot.ID: (ChatRole.CALL, ChatRole.RESULT),
    ChatSlot.INDEX: (ChatRole.CALL, ChatRole.RESULT),
    ChatSlot.CALLED: (ChatRole.RESULT,),
    ChatSlot.TYPE: (ChatRole.ARGUMENT,),
    ChatSlot.COUNT: (ChatRole.CALL, ChatRole.RESULT),
    ChatSlot.NUMBER: (ChatRole.CALL, ChatRole.RESULT),
    ChatSlot.ARGUMENTS: (ChatRole.CALL,),
    ChatSlot.KEY: (ChatRole.ARGUMENT,),
    ChatSlot.VALUE: (ChatRole.ARGUMENT,),
}
"""The roles of the rules that a slot may stand in; the others may stand anywhere."""


def _check_slots(rules: dict[str, Rule], roles: dict[str, ChatRole], problems: Problems) -> None:
    """Every slot must stand in a rule that says what it holds."""
    for rule in rules.values():
        for part in leaves(rule.expr):
            slot = ChatSlot(part.name) if isinstance(part, Pattern) and part.name in {*ChatSlot} else None
            wanted = None if slot is None else _HELD.get(slot)
            if wanted is not None and roles.get(rule.name) not in wanted:
                names = ", ".join(wanted)
                message = f"expected `{slot}` in a rule with a role such as {names}, got it in `{rule.name}`"
                problems.error("unknown-part", message, rule.place)


def _grammar(path: Path, name: str) -> Path:
    return path.parent / "grammars" / "chats" / f"{name}.lark"
