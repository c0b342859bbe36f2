"""Chat specs out of a `chats.yaml` and the grammars under `grammars/chats` beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import msgspec

from toolect import _files as files
from toolect._diagnostic import Diagnostic, Place, Severity, SpecError
from toolect._names import Names
from toolect._spec.chat_model import ChatFields, ChatRole, ChatSlot, ChatSpec
from toolect._spec.decode import check_keys, read, read_fields
from toolect._spec.document import YamlScalar, YamlTable, describe, read_document, read_text
from toolect._spec.entry import NAME, Entry, Loaded
from toolect._spec.grammar import GrammarFiles
from toolect._spec.grammar_model import Pattern
from toolect._spec.guards import GuardError, read_guard
from toolect._spec.leaves import leaves
from toolect._spec.model import Rule
from toolect._spec.problems import Problems, beside, in_order, near
from toolect._spec.taken_names import check_names
from toolect._spec.variant import inherit, replace_markers

FIELDS = (*(field.name for field in msgspec.structs.fields(ChatFields)), "extends", "markers", "map", "when", "refuse")
"""The fields of an entry of `chats.yaml`."""
MAX_EXTENDED = 16
"""Entries that one of chats extends, one by way of the other. Beyond it: diagnostic `extends-twice`."""
_OWN = ("templates",)
"""Fields that are not handed on, beside those of a dialect."""
_SLOTS = {slot.value: Pattern("", slot.value) for slot in ChatSlot}


def read_chat_names(path: Path) -> tuple[dict[str, Names], list[Diagnostic]]:
    """Names, aliases and models of a file's entries, and the problems of the file; no grammar is read."""
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
    if document and not document.entries:
        problems.error("empty-spec", "expected at least one entry, got an empty mapping", document.place)
    entries = {}
    for key, node in document.entries if document else ():
        if not NAME.fullmatch(key.text):
            hint = "a name has lower-case letters, digits, `.`, `_` and `-`"
            problems.error("bad-name", f"expected a chat's name, got {describe(key)}", key.place, hint=hint)
        elif not isinstance(node, YamlTable):
            problems.error("wrong-type", f"expected a mapping for `{key.text}`, got {describe(node)}", key.place)
        else:
            check_keys(node, FIELDS, problems)
            entries[key.text] = Entry(key, YamlTable(tuple(e for e in node.entries if e[0].text in FIELDS), node.place))
    check_names(entries, problems)
    return entries


Known: TypeAlias = Callable[[str], object]
"""Looks for a dialect by its name, and raises LookupError with `near` for one that there is not."""


def load_chats(
    path: str | Path, *bases: str | Path, known: Known | None = None
) -> tuple[dict[str, ChatSpec], list[Diagnostic]]:
    """Every chat of a file that could be loaded, and every problem; `known` tells which dialects there are."""
    problems = Problems()
    entries = read_chat_entries(Path(path), problems)
    loaded = [*load_chat_entries(path, entries, entries, *bases, known=known)]
    found = in_order([*problems.found, *(found for one in loaded for found in one.found)])
    return {one.spec.name: one.spec for one in loaded if one.spec is not None}, found


def load_chat(path: str | Path, name: str, *bases: str | Path, known: Known | None = None) -> ChatSpec:
    """One chat of a file; `known` tells which dialects there are. Raises `SpecError`."""
    problems = Problems()
    entries = read_chat_entries(Path(path), problems)
    if name in entries:
        (loaded,) = load_chat_entries(path, entries, [name], *bases, known=known)
        if loaded.spec is not None:
            return loaded.spec
        problems.found = [*loaded.found]
    else:
        hint = near(name, entries)
        problems.error("unknown-dialect", f"no entry is named `{name}`", Place(str(path), 1, 1), hint=hint)
    raise SpecError([d for d in in_order(problems.found) if d.severity is Severity.ERROR])


def load_chat_entries(
    path: str | Path,
    entries: Mapping[str, Entry],
    names: Iterable[str],
    *bases: str | Path,
    known: Known | None = None,
) -> Iterator[Loaded[ChatSpec]]:
    """Those of the `entries` of a file that `names` says, one after the other; they may extend those of `bases`."""
    others = {
        name: (Path(base), entry) for base in bases for name, entry in read_chat_entries(Path(base), Problems()).items()
    }
    grammars = GrammarFiles(_SLOTS)
    for name in names:
        problems = Problems()
        spec, whole, grammar = _load(Path(path), entries, others, entries[name], grammars, problems)
        if known is not None:
            _check_dialect(entries[name], known, problems)
        if any(d.severity is Severity.ERROR for d in problems.found):
            spec = None
        yield Loaded(entries[name], spec, tuple(problems.found), whole, grammar)


def _check_dialect(entry: Entry, known: Known, problems: Problems) -> None:
    name = entry.text("dialect", Problems())
    try:
        known(name) if name else None
    except LookupError as error:
        near_names = getattr(error, "near", ())
        hint = f"did you mean `{near_names[0]}`?" if near_names else "`toolect list` shows them all"
        place = entry.table.get("dialect")
        assert place is not None
        problems.error("unknown-dialect", f"expected the name of a dialect, got `{name}`", place.place, hint=hint)


def _load(
    path: Path,
    entries: Mapping[str, Entry],
    others: Mapping[str, tuple[Path, Entry]],
    entry: Entry,
    grammars: GrammarFiles,
    problems: Problems,
) -> tuple[ChatSpec | None, Entry, Path]:
    chain = _chain(path, entries, others, entry, problems)
    homes = [_grammar(home, one.name.text) for home, one in chain]
    owner = next((number for number, file in enumerate(homes) if files.exists(file)), 0)
    read_rules = grammars.read(homes[owner], problems, entry.name.place) if chain else None
    if read_rules is None:
        return None, entry, homes[owner] if homes else _grammar(path, entry.name.text)
    whole = chain[-1][1]
    for _, one in reversed(chain[:-1]):
        kept = tuple(e for e in whole.table.entries if e[0].text not in _OWN)
        whole = inherit(one, Entry(whole.name, YamlTable(kept, whole.table.place)))
    rules = read_rules.rules
    for _, one in reversed(chain[: max(owner, 1)]):  # each speaks of the markers that the one it extends has
        noted = problems if one is entry else Problems()
        rules, whole = replace_markers(one, whole, rules, owner > 0, noted)
    for field in ("map", "when"):
        whole = _known_rules(entry, whole, field, rules, problems)
    roles = _roles(whole, problems, rules)
    when, refuse = _guards(whole, "when", problems), _guards(whole, "refuse", problems)
    _check_slots(rules, roles, whole.mapping("map", Problems()), problems)
    _check_words(whole, rules, problems)
    fields = read_fields(whole.table, ChatFields, problems)
    if problems.failed:
        return None, whole, homes[owner]
    name = entry.name.text
    spec = ChatSpec(**fields, name=name, rules=rules, roles=roles, when=when, refuse=refuse, place=entry.name.place)
    return spec, whole, homes[owner]


def _chain(
    path: Path,
    entries: Mapping[str, Entry],
    others: Mapping[str, tuple[Path, Entry]],
    entry: Entry,
    problems: Problems,
) -> list[tuple[Path, Entry]]:
    """The entry, the one that it extends, and so on, each with its file; empty where one of them is missing."""
    chain = [(path, entry)]
    while (node := chain[-1][1].table.get("extends")) is not None:
        home, last = chain[-1]
        name = last.text("extends", problems)
        if not name:
            return []
        beside_it = entries.get(name) if home == path and name != last.name.text else None
        found = others.get(name) if beside_it is None else (home, beside_it)
        if found is None:
            message = f"expected another entry to extend, got `{name}`"
            hint = near(name, {*others, *(entries if home == path else ())} - {last.name.text})
            problems.error("unknown-dialect", message, node.place, hint=hint)
            return []
        if found in chain:
            message = f"expected an entry that ends in one that stands alone, got `{name}`, which extends this one"
            problems.error("extends-twice", message, node.place)
            return []
        if len(chain) > MAX_EXTENDED:
            message = f"expected at most {MAX_EXTENDED} entries to extend, one by way of the other, got more"
            problems.error("extends-twice", message, node.place)
            return []
        chain.append(found)
    return chain


def _known_rules(entry: Entry, whole: Entry, field: str, rules: Mapping[str, Rule], problems: Problems) -> Entry:
    """The entry with what `field` says of rules that there are; of others only what is handed on may speak."""
    own = {key.text for key, _ in entry.mapping(field, problems).entries}
    for key, _ in whole.mapping(field, Problems()).entries:
        if key.text not in rules and key.text in own:
            hint = near(key.text, rules)
            places = {name: rule.place for name, rule in rules.items()}
            message = f"the grammar has no rule `{key.text}`"
            problems.error("unknown-part", message, key.place, hint=hint, related=beside(key.text, places))
    table = YamlTable(
        tuple(
            (key, YamlTable(tuple(e for e in node.entries if e[0].text in rules), node.place))
            if key.text == field and isinstance(node, YamlTable)
            else (key, node)
            for key, node in whole.table.entries
        ),
        whole.table.place,
    )
    return Entry(whole.name, table)


def _check_words(whole: Entry, rules: Mapping[str, Rule], problems: Problems) -> None:
    """`trim` names rules or roles."""
    words = {*rules, *ChatRole}
    for key, _ in whole.mapping("trim", problems).entries:
        if key.text not in words:
            hint = near(key.text, words)
            message = f"expected a rule of the grammar or a role, got `{key.text}`"
            problems.error("unknown-part", message, key.place, hint=hint)


def _roles(whole: Entry, problems: Problems, rules: Mapping[str, Rule]) -> dict[str, ChatRole]:
    """The roles of rules: what the map says, else the rule's own name."""
    roles = {name: ChatRole(name) for name in rules if name in {*ChatRole}}
    for key, node in whole.mapping("map", Problems()).entries:
        role = read(node, ChatRole, f"`{key.text}`", problems)
        if role is not None:
            roles[key.text] = role
    return roles


def _guards(whole: Entry, field: str, problems: Problems) -> dict[str, str]:
    found = {}
    for key, node in whole.mapping(field, problems).entries:
        if not isinstance(node, YamlScalar):
            problems.error("wrong-type", f"expected a guard for `{key.text}`, got {describe(node)}", node.place)
            continue
        try:
            read_guard(node.text)
        except GuardError as error:
            problems.error("wrong-value", f"in `{key.text}`: {error}", node.place, hint=error.hint)
        else:
            found[key.text] = node.text
    return found


_HELD: dict[ChatSlot, tuple[ChatRole, ...]] = {
    ChatSlot.TEXT: (ChatRole.SYSTEM, ChatRole.USER, ChatRole.RESULT, ChatRole.CONTENT, ChatRole.REASONING),
    ChatSlot.CALLS: (ChatRole.CALLS,),
    ChatSlot.SAID: (ChatRole.CONTENT,),
    ChatSlot.ANSWER: (ChatRole.ANSWER,),
    ChatSlot.TOOLS: (ChatRole.TOOLS,),
    ChatSlot.TOOL: (ChatRole.TOOL,),
    ChatSlot.NAME: (ChatRole.CALL, ChatRole.RESULT, ChatRole.TOOL),
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


def _check_slots(rules: dict[str, Rule], roles: dict[str, ChatRole], said: YamlTable, problems: Problems) -> None:
    """Every slot must stand in a rule that says what it holds; `said` is what the map says of that."""
    places = {key.text: key.place for key, _ in said.entries}
    for rule in rules.values():
        for part in leaves(rule.expr):
            slot = ChatSlot(part.name) if isinstance(part, Pattern) and part.name in {*ChatSlot} else None
            wanted = None if slot is None else _HELD.get(slot)
            if wanted is not None and roles.get(rule.name) not in wanted:
                names = ", ".join(wanted)
                role = roles.get(rule.name)
                got = f"`{rule.name}`, which is {role}" if role else f"`{rule.name}`, which has none"
                message = f"expected `{slot}` in a rule with a role such as {names}, got it in {got}"
                place = places.get(rule.name, rule.place)
                problems.error("unknown-part", message, place, related=((rule.place, "in this grammar"),))


def _grammar(path: Path, name: str) -> Path:
    return path.parent / "grammars" / "chats" / f"{name}.lark"
