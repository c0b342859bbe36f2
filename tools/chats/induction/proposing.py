"""A chat for a chat template: its rules, its entry, and how it does on conversations that it was not made of."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from datetime import date
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import yaml
from msgspec.structs import replace

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._authoring.lint.chat_checks import talk, unlike
from toolect._chats.answers import plain_dialect
from toolect._chats.control_tokens import control_tokens
from toolect._chats.grammar_chat import Chat
from toolect._compiled import Dialect
from toolect._diagnostic import SpecError
from toolect._message import Json, MessageError
from toolect._rendered import RenderError
from toolect._shown import alike, one_line
from toolect._shown import cut as shortened
from toolect._spec.chat_load import load_chat
from toolect._spec.chat_model import WORDS, ChatRole, ChatSpec, Fact, Lost, Systems, Thoughts, Trim
from toolect._spec.guards import read_guard
from toolect._spec.prompts import Notation, OutputKind, Syntax, ToolText
from toolect.chat_template import TemplateError
from toolect.conversation import Assistant, Results, System, User
from tools.chats.induction.cutting import Cut, Cutter
from tools.chats.induction.known_words import Atoms, Slot, first_token
from tools.chats.induction.regions import Draft, Example, InductionError, Region, facts_of, joined, which
from tools.chats.induction.template_asking import DAY, Spellings, Template
from tools.random_conversations import cases

LEARNED, FITTED, TRIED, READ = 240, 80, 200, 40
"""Conversations that a chat is made of, those by which its fields are chosen (and as many with empty texts), those that
it was not made of and is tried on, and those that it has to read back.
"""
SHARE = 0.99
"""The part of conversations that a chat must write as the template does."""
AROUND, UNREAD = 60, 300
"""Characters of two texts that are shown from where they differ, and of what is read otherwise."""
_ROLES = ((User, "user"), (Assistant, "answer"), (Results, "results"), (System, "notice"))
_ROWS = {"answer": "X", "results": "O", "user": "T"}
"""What comes several times in a turn."""
_TEXT = re.compile(r'"(?:\\.|[^"\\])*"')


class Tried(NamedTuple):
    """How a chat does on conversations that it was not made of: of how many it writes and reads what."""

    same: int
    asked: int
    read: int
    written: int
    shown: tuple[str, ...] = ()
    """Where a text first differs from that of the template, and what is read otherwise."""

    @property
    def sound(self) -> bool:
        """True where it writes nearly all of them as the template does, and reads all of its own back."""
        return self.same >= SHARE * self.asked and self.read == self.written


class Proposal(NamedTuple):
    """A chat for a template, its files by their paths, how it does, and what was not found out."""

    chat: Chat
    files: dict[Path, str]
    tried: Tried
    notes: tuple[str, ...]


def induced(template: Template, name: str, spec: Path, dialect: Dialect | None) -> Proposal:
    """The chat that is found out from what a template writes. Raises InductionError where too little is understood."""
    spellings = template.spellings()
    texts, refused = template.written(5, LEARNED, spellings)
    if not texts:
        raise InductionError(f"the template renders no conversation: {refused[0][1]}")
    cutter = Cutter()
    cuts = cutter.cut(texts)
    if 4 * len(cuts) < len(texts):
        raise InductionError(f"where turns begin is plain to see in {len(cuts)} of {len(texts)} texts only")
    draft, default = Draft(spellings.tools), _default_of(cuts)
    start = _start_of(draft, cuts, default, cutter.final)
    grammar = _grammar_of(f"{name}: as its chat template writes it.", start, draft)
    entry = _entry_of(draft, spellings, cuts, dialect, default)
    entry |= {"refuse": refuse} if (refuse := _refusals([one.case for one in texts], refused, bool(default))) else {}
    try:
        made = Chat(spec_of(name, entry, grammar), dialect or plain_dialect())
    except SpecError as error:
        raise InductionError(f"what was found makes no chat: {error.diagnostics[0].message}") from None
    empty = [case for case in cases(12, 4 * FITTED) if re.search(r'"(content|text|output)": "\s*"', _told(case))]
    fit = [*cases(11, FITTED), *empty[:FITTED]]
    made, entry = _fitted(made, entry, fit, template.rendered(fit))
    given = [*cases(21, TRIED)]
    files = {spec: entry_text(name, entry), grammar_file(spec, name): grammar}
    return Proposal(made, files, tried(made, given, template.rendered(given)), tuple(draft.notes))


def _told(case: ChatCase) -> str:
    return json.dumps(case.conversation.to_openai())


def tried(made: Chat, given: Sequence[ChatCase], texts: Sequence[str | TemplateError]) -> Tried:
    """How a chat does on conversations that a template writes so."""
    same, shown = _alike(made, given, texts), list[str]()
    for case, text in [pair for pair, label in zip(zip(given, texts, strict=True), same, strict=True) if not label][:1]:
        both = {"template": text if isinstance(text, str) else None, "chat": _rendered(made, case)}
        at = 0 if None in both.values() else alike(*map(str, both.values()))
        cuts = (
            "refuses the conversation" if one is None else shortened(one_line(one[at:]), AROUND)
            for one in both.values()
        )
        shown += [f"  {what:9}{text}" for what, text in zip(both, cuts, strict=True)]
    written = [one for case in cases(22, READ, usual=True) if (one := talk(made, case)).text is not None]
    unread = [found for one in written if (found := unlike(made, one)) is not None]
    shown += [f"not all that it writes is read back: {shortened(one.what, UNREAD)}" for one in unread[:1]]
    return Tried(sum(same), len(same), len(written) - len(unread), len(written), tuple(shown))


# Rules


def _default_of(cuts: Sequence[Cut]) -> str:
    """The system text of conversations that have none; empty where there is none, or not in the same place."""
    plain = [cut for cut in cuts if not cut.written.case.conversation.tools and cut.turns]
    given = {cut.written.case.thinking: cut.head for cut in plain if _given(cut)}
    for cut in plain:
        head = given.get(cut.written.case.thinking, ())
        if not _given(cut) and len(cut.head) == 1 and len(head) == 3 and isinstance(head[1], Slot):
            text, before, after = str(cut.head[0]), str(head[0]), str(head[2])
            if text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after):
                return text[len(before) : len(text) - len(after)]
    return ""


def _given(cut: Cut) -> bool:
    turns = cut.written.case.conversation.turns
    return bool(turns) and isinstance(turns[0], System)


def _with_default(atoms: Atoms, default: str) -> Atoms:
    """The atoms with the place of the default system text."""
    for at, atom in enumerate(atoms if default else ()):
        if isinstance(atom, str) and default in atom:
            before, _, after = atom.partition(default)
            return (*atoms[:at], before, Slot("s"), after, *atoms[at + 1 :])
    return atoms


def _start_of(draft: Draft, cuts: Sequence[Cut], default: str, final: str) -> str:
    """The start rule; all others are added to the draft. Raises InductionError.

    `default` is the system text of conversations that have none, `final` what ends a text that asks for no answer.
    """
    heads: list[Example] = []
    tails: list[Example] = []
    turns: dict[str, list[Example]] = {}
    for cut in cuts:
        facts, asking = (facts_of(cut.written.case._replace(generate=ask), bool(default)) for ask in (False, True))
        if cut.turns:
            heads.append(Example(facts.head, cut.head if _given(cut) else _with_default(cut.head, default)))
        for turn, own, atoms in zip(cut.written.turns, facts.turns, cut.turns, strict=True):
            name = next(name for kind, name in _ROLES if isinstance(turn, kind))
            if name == "notice":
                atoms = tuple(atom._replace(kind="u") if isinstance(atom, Slot) else atom for atom in atoms)
            turns.setdefault(name, []).append(Example(own, atoms))
        if cut.tail is not None:
            tails += [Example(asking.tail, (cut.tail,)), Example(facts.tail, (final,))]
    openings = list(dict.fromkeys(str(one.atoms[0]) for one in tails if one.facts & Fact.GENERATE and one.atoms[0]))
    untold = [one for one in heads if not one.facts & Fact.TOOLS]
    head = _first_found(draft, [partial(Region(draft, "head", "T").found, some) for some in (heads, untold)])
    loop = [part for name, examples in turns.items() if (part := _turns(draft, name, examples, openings))]
    tail = _first_found(draft, [partial(Region(draft, "opening").found, tails)])
    if "opening" in draft.rules:
        draft.roles["opening"] = ChatRole.OPENING
        if draft.when.get("opening") == "generate":
            del draft.when["opening"]
    return joined(head, f"({' | '.join(loop)})*", tail)


def _first_found(draft: Draft, ways: Sequence[Callable[[], str]]) -> str:
    """What the first of some ways finds that finds anything; where none does it is noted why the first does not."""
    why = ""
    for way in ways:
        before = deepcopy(draft)
        try:
            return way()
        except InductionError as error:
            vars(draft).update(vars(before))
            why = why or str(error)
    draft.notes.append(why)
    return ""


def _turns(draft: Draft, name: str, examples: Sequence[Example], openings: Sequence[str]) -> str:
    """The rules of a kind of turn: one, or several that begin otherwise."""
    asked = openings if name == "answer" else ()
    begins = {first_token(one) for one in asked}
    return _first_found(
        draft,
        [
            partial(_grouped, draft, name, examples, _groups(examples, some), asked)
            for some in (begins if asked else set(), None)
        ],
    )


def _groups(examples: Sequence[Example], begins: set[str] | None) -> list[list[Example]]:
    """The examples by their first token; those that begin with none of `begins`, if any are given, are one group."""
    groups: dict[str, list[Example]] = {}
    for one in examples:
        first = first_token(str(one.atoms[0]))
        groups.setdefault(first if begins is None or first in begins else "", []).append(one)
    return list(groups.values())


def _grouped(
    draft: Draft, name: str, examples: Sequence[Example], groups: Sequence[Sequence[Example]], openings: Sequence[str]
) -> str:
    """A rule for each group of examples, with what tells it from the others."""
    rules = []
    role = ChatRole.SYSTEM if name == "notice" else ChatRole(name)
    for group in groups:
        inside = {*map(id, group)}
        guard = which((one.facts, id(one) in inside) for one in examples) if len(groups) > 1 else None
        if len(groups) > 1 and guard is None:
            raise InductionError(f"which of {len(groups)} ways a turn of `{name}` begins in is not plain to see")
        body = Region(draft, name, _ROWS.get(name, "")).found(group, openings)
        rules.append(draft.add(name, body, role, guard))
    return " | ".join(rules)


# The entry


def _entry_of(
    draft: Draft, spellings: Spellings, cuts: Sequence[Cut], dialect: Dialect | None, default: str
) -> dict[str, Json]:
    """The fields of the entry."""
    told = {atom.kind for cut in cuts for part in (cut.head, *cut.turns) for atom in part if isinstance(atom, Slot)}
    lost = {Lost.TOOLS: {"t"}, Lost.CALLS: {"a", "k"}, Lost.RESULTS: {"o"}}
    body = draft.rules.get("answer", "")
    texts = [json.loads(one[0]) for one in _TEXT.finditer(body) if one.end() == len(body)]
    ends = control_tokens(texts[-1:])[:1] or texts[-1:]  # what ends answers: the text behind them, or its first token
    fields: dict[str, Json] = {
        "about": "As its chat template writes it",
        "dialect": dialect.name if dialect is not None else "",
        "map": {rule: str(role) for rule, role in draft.roles.items() if rule != role},
        "when": dict(draft.when),
        "system": default,
        "tools": _changed(draft.tools, ToolText()) if draft.tools is not None and "t" in told else {},
        "arguments": _changed(spellings.arguments, Notation()) if spellings.arguments is not None else {},
        "output": str(spellings.output) if spellings.output is not OutputKind.TEXT else "",
        "date": spellings.date if "d" in told else "",
        "lost": [str(one) for one, kinds in lost.items() if not kinds & told],
        "tokens": {"end": ends} if ends else {},
    }
    return {key: value for key, value in fields.items() if value}


def _changed(how: Any, usual: Any) -> dict[str, Json]:
    """What of a notation is not as usual."""
    given, plain = (one if isinstance(one, dict) else msgspec.to_builtins(one) for one in (how, usual))
    return {
        key: _changed(value, plain[key]) if isinstance(value, dict) and isinstance(plain[key], dict) else value
        for key, value in given.items()
        if value != plain[key]
    }


def _grammar_of(title: str, start: str, draft: Draft) -> str:
    """The grammar: the rules that are spoken of."""
    rules = {"start": start, **draft.rules}
    words = {name: re.findall(r"\w+", _TEXT.sub("", body)) for name, body in rules.items()}
    spoken, size = {"start"}, 0
    while len(spoken) > size:
        size = len(spoken)
        spoken |= {word for name in spoken for word in words[name] if word in rules}
    slots = dict.fromkeys(word for name in rules if name in spoken for word in words[name] if word.isupper())
    lines = (f"{name}: {body}" for name, body in rules.items() if name in spoken)
    return "\n".join([f"// {title}", *lines, f"%declare {' '.join(slots)}", ""])


def spec_of(name: str, entry: Mapping[str, Json], grammar: str) -> ChatSpec:
    """The spec of an entry and its grammar. Raises SpecError."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.chats.yaml"
        file = grammar_file(path, name)
        file.parent.mkdir(parents=True)
        file.write_bytes(grammar.encode())
        path.write_bytes(entry_text(name, entry).encode())
        return load_chat(path, name)


def grammar_file(path: Path, name: str) -> Path:
    """Where the grammar belongs of a chat whose entry is in the file at `path`."""
    return path.parent / "grammars" / "chats" / f"{name}.lark"


def entry_text(name: str, entry: Mapping[str, Json]) -> str:
    """The entry as YAML."""
    return yaml.safe_dump({name: dict(entry)}, sort_keys=False, allow_unicode=True, width=100)


def _refusals(rendered: Sequence[ChatCase], refused: Sequence[tuple[ChatCase, str]], default: bool) -> dict[str, str]:
    """The guards of turns that a template refuses, by its reasons, where a guard tells them from all others."""

    def facts(case: ChatCase) -> list[int]:
        found = facts_of(case, default)
        return found.turns or [found.head | int(Fact.EMPTY | Fact.UNASKED)]

    fine = [facts(case) for case in rendered]
    reasons: dict[str, list[list[int]]] = {}
    for case, why in refused:
        reasons.setdefault(re.sub(r"^the template raises \w+: ", "", why), []).append(facts(case))
    found = {}
    for why, wrong in reasons.items():
        words = [word for word, fact in WORDS.items() if all(any(one & fact for one in some) for some in wrong)]
        pairs = combinations([*words, *(f"not {word}" for word in WORDS)], 2)
        for guard in ("out-of-turn", _ALTERNATE, *words, *(f"{one} and {two}" for one, two in pairs)):
            holds = read_guard(guard)
            if all(any(map(holds, some)) for some in wrong) and not any(any(map(holds, some)) for some in fine):
                found[why] = guard
                break
    return found


_ALTERNATE = "user and odd or (answer or results or notice) and not odd"
"""What templates mean that say that roles must alternate."""


# Fields that no text shows


def _rendered(chat: Chat, case: ChatCase) -> str | None:
    """A conversation as the chat writes it, whatever its texts hold; None where it refuses it."""
    day = date.fromisoformat(DAY)
    try:
        return str(chat.render(case.conversation, case.generate, thinking=case.thinking, date=day, unsafe="keep"))
    except (RenderError, MessageError):
        return None


def _alike(chat: Chat, given: Sequence[ChatCase], texts: Sequence[str | TemplateError]) -> list[bool]:
    """Of each conversation, whether the chat writes it as the template does, or refuses it like that."""
    wanted = (text if isinstance(text, str) else None for text in texts)
    return [_rendered(chat, case) == text for case, text in zip(given, wanted, strict=True)]


def _fitted(
    chat: Chat, entry: dict[str, Json], given: Sequence[ChatCase], texts: Sequence[str | TemplateError]
) -> tuple[Chat, dict[str, Json]]:
    """The chat with those fields by which it writes most conversations as the template does."""
    best = sum(_alike(chat, given, texts))
    for field, option in _options(chat.spec):
        if best == len(given):
            break
        value = {**getattr(chat.spec, field), **option} if isinstance(option, dict) else option
        other = Chat(replace(chat.spec, **{field: value}), chat.dialect)
        if (count := sum(_alike(other, given, texts))) > best:
            best, chat, entry = count, other, {**entry, field: msgspec.to_builtins(value)}
    return chat, entry


def _options(spec: ChatSpec) -> Iterator[tuple[str, Any]]:
    """Fields, and what they may be besides what they are."""
    for word in ("user", "content", "reasoning", "result", "system", "notice"):
        if word in spec.rules or word in {*spec.roles.values()}:
            yield from (("trim", {word: trim}) for trim in Trim if trim is not Trim.NONE)
    for rule, guard in spec.when.items():
        for fact, other in (("given", "system-text"), ("content", "words"), ("reasoning", "thought")):
            named = re.compile(rf"(?<![\w-]){fact}(?![\w-])")
            if named.search(guard):
                yield "when", {rule: named.sub(other, guard)}
    narrower = {ChatRole.CONTENT: "words", ChatRole.REASONING: "thought", ChatRole.SYSTEM: "system-text"}
    for rule, role in spec.roles.items():
        if role in narrower and rule not in spec.when and rule not in _ROWS and rule != "notice":
            yield "when", {rule: narrower[role]}
    yield from (("thoughts", one) for one in (Thoughts.TAKEN, Thoughts.DROPPED))
    yield from (("scalars", Syntax.PYTHON), ("lists", Syntax.PYTHON))
    yield from (("systems", one) for one in (Systems.LAST, Systems.JOINED, Systems.GLUED))
