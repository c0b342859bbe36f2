"""A chat for a chat template: one that is known, or one that is found out, tried on what it was not made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from toolect._authoring.generate.random_conversations import ChatCase, cases
from toolect._authoring.lint.chat_checks import talk, unlike
from toolect._chats.answers import plain_dialect
from toolect._chats.chat_registry import chat, looks_like
from toolect._chats.verbs import Chat
from toolect._compiled import Dialect
from toolect._diagnostic import SpecError
from toolect._message import Call, Json
from toolect._names import UnknownNameError
from toolect._spec.prompts import ToolText
from toolect.chat_template import TemplateError
from toolect.conversation import Assistant, Results, System, User
from tools.chats.induction.chat_draft import Draft, InductionError
from tools.chats.induction.chat_entry import entry_of, entry_text, grammar_file, grammar_of, spec_of
from tools.chats.induction.chat_rules import default_of, start_of
from tools.chats.induction.cutting import Cutter
from tools.chats.induction.fields import alike, fitted, rendered
from tools.chats.induction.known_words import Slot
from tools.chats.induction.refusing import refusals
from tools.chats.induction.template_asking import Template

LEARNED = 240
"""Conversations that a chat is made of."""
FITTED = 80
"""Conversations by which its fields are chosen, and as many with empty texts."""
TRIED = 200
"""Conversations that it was not made of, and is tried on."""
READ = 40
"""Conversations that it has to read back."""
SHARE = 0.99
"""The part of conversations that a chat must write as the template does."""
KNOWN = 8
"""Chats that are known and look like the template, and are tried."""


class Difference(NamedTuple):
    """A conversation that a chat writes otherwise than the template; None is a refusal."""

    case: ChatCase
    template: str | None
    chat: str | None


class Tried(NamedTuple):
    """How a chat does on conversations that it was not made of: `same` of `asked`, and so for those without tools."""

    same: int
    asked: int
    untold_same: int
    untold: int
    read: int = 0
    """Conversations that it writes and reads back."""
    written: int = 0
    difference: Difference | None = None
    unread: str = ""
    """What is read otherwise of the first conversation that is not read back."""

    @property
    def writes(self) -> bool:
        """True where it writes nearly all of them as the template does."""
        return self.same >= SHARE * self.asked

    @property
    def sound(self) -> bool:
        """True where it writes nearly all of them as the template does, and reads all of its own back."""
        return self.writes and self.read == self.written


class Proposal(NamedTuple):
    """A chat for a template, and how it does: its files by their paths, none for one that is `known` already."""

    known: str
    files: dict[Path, str]
    tried: Tried
    notes: tuple[str, ...] = ()
    """What was not found out."""
    chat: Chat | None = None


def proposed(
    template: Template, name: str, spec: Path, dialect: Dialect | None, known: Sequence[str] | None = None
) -> Proposal:
    """The chat that a template writes; a new one, called `name`, is to be written in `spec` and beside it.

    `known` are the names of chats that are tried first: those that look like it, unless they are given.
    Raises InductionError.
    """
    given = [*cases(21, TRIED)]
    texts = template.rendered(given)
    for other in _likely(texts) if known is None else known:
        found = tried(chat(other), given, texts)
        if found.writes:
            return Proposal(other, {}, found)
    return induced(template, name, spec, dialect)


def _likely(texts: Sequence[str | TemplateError]) -> list[str]:
    longest = max((text for text in texts if isinstance(text, str)), key=len, default="")
    return looks_like(longest)[:KNOWN]


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
    draft = Draft(tools=spellings.tools, quote=spellings.quote)
    default = default_of(cuts)
    start = start_of(draft, cuts, default, cutter.final)
    grammar = grammar_of(f"{name}: as its chat template writes it.", start, draft)
    told = {atom.kind for cut in cuts for part in (cut.head, *cut.turns) for atom in part if isinstance(atom, Slot)}
    entry: dict[str, Json] = {
        "about": "As its chat template writes it",
        **entry_of(draft, spellings, told, dialect, default),
    }
    refuse, unclear = refusals([one.case for one in texts], refused, bool(default))
    entry |= {"refuse": refuse} if refuse else {}
    notes = [*draft.notes, *(f"when it says `{why}` is not plain to see" for why in unclear)]
    try:
        made = Chat(spec_of(name, entry, grammar), dialect or plain_dialect())
    except SpecError as error:
        raise InductionError(f"what was found makes no chat: {error.diagnostics[0].message}") from None
    fit = [*cases(11, FITTED), *[case for case in cases(12, 4 * FITTED) if _blank(case)][:FITTED]]
    made, entry = fitted(made, entry, fit, template.rendered(fit))
    given = [*cases(21, TRIED)]
    found = tried(made, given, template.rendered(given))
    files = {spec: entry_text(name, entry), grammar_file(spec, name): grammar}
    return Proposal("", files, found, tuple(notes), made)


def tried(made: Chat, given: Sequence[ChatCase], texts: Sequence[str | TemplateError]) -> Tried:
    """How a chat does on conversations that a template writes so."""
    same = alike(made, given, texts)
    untold = [label for label, case in zip(same, given, strict=True) if not case.conversation.tools]
    wrong = next((number for number, label in enumerate(same) if not label), None)
    difference = None
    if wrong is not None:
        text = texts[wrong]
        difference = Difference(given[wrong], text if isinstance(text, str) else None, rendered(made, given[wrong]))
    written = [one for case in cases(22, READ, usual=True) if (one := talk(made, case)).text is not None]
    unread = [found for one in written if (found := unlike(made, one)) is not None]
    first = unread[0].what if unread else ""
    read = len(written) - len(unread)
    return Tried(sum(same), len(same), sum(untold), len(untold), read, len(written), difference, first)


def spellings_of(names: Sequence[str]) -> list[ToolText]:
    """How these chats tell of tools, where they tell otherwise than as JSON."""
    found: list[ToolText] = []
    for name in names:
        try:
            how = chat(name).spec.tools
        except (UnknownNameError, SpecError):
            continue
        if how is not None and how.each != "{tool}" and how not in found:
            found.append(how)
    return found


def _blank(case: ChatCase) -> bool:
    """True where there is a text with nothing in it, but maybe blanks."""
    return any(not text.strip() for text in _texts(case))


def _texts(case: ChatCase) -> Iterator[str]:
    for turn in case.conversation.turns:
        match turn:
            case System(text) | User(text):
                yield text
            case Assistant(message):
                yield from (one.text for one in message.segments if not isinstance(one, Call))
            case Results(results):
                yield from (one.output for one in results)
