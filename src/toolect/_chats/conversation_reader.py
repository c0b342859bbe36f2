"""Reader of conversations: makes turns and tools of the course of a transcript through its grammar."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from toolect._chats.answers import Answers
from toolect._chats.prompt_tools import read_definition
from toolect._chats.slot_ends import MAX_SIGNS
from toolect._chats.transcript_reader import Course, Held
from toolect._exchange.media import between, media_of
from toolect._prompting.outputs import written
from toolect._rendered import RenderError
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec, Fact
from toolect._spec.guards import read_guard
from toolect._spec.prompts import OutputKind
from toolect._transcript import Origin, OriginSpan, Transcript
from toolect._turns import Assistant, Media, MediaKind, PendingCalls, Results, System, ToolResult, Turn, User
from toolect.conversation import Conversation

_ORIGINS = {
    ChatRole.SYSTEM: Origin.SYSTEM,
    ChatRole.USER: Origin.USER,
    ChatRole.ANSWER: Origin.ANSWER,
    ChatRole.RESULT: Origin.RESULT,
    ChatRole.TOOL: Origin.TOOLS,
    ChatRole.TOOLS: Origin.TOOLS,
}
_GIVEN, _SYSTEM = int(Fact.GIVEN), int(Fact.SYSTEM | Fact.SYSTEM_TEXT)
_DEFAULT = _SYSTEM, _SYSTEM | int(Fact.TOOLS)
"""The facts of a conversation without a system text, in a chat that has one of its own."""


class _ConversationDraft(NamedTuple):
    role: ChatRole
    texts: list[Held]
    results: list[list[Held]]

    def said(self, text: str) -> str:
        """The text of the turn."""
        return "".join(text[held.start : held.end] for held in self.texts if held.slot is not ChatSlot.NUMBER)


class ConversationReader:
    """Makes a conversation of the course of one text."""

    def __init__(self, spec: ChatSpec, answers: Answers) -> None:
        self.spec, self.answers = spec, answers
        guards = ((rule, read_guard(guard)) for rule, guard in spec.when.items())
        self._of_default = {
            rule for rule, holds in guards if all(holds(facts) and not holds(facts | _GIVEN) for facts in _DEFAULT)
        }
        """The rules that are written with the chat's own system text, and never with one that was given."""

    def conversation(self, text: str, course: Course) -> Conversation:
        """The turns and tools of the text, with its spans and repairs; those of answers are in their messages."""
        drafts, definitions = self._drafts(course)
        drafts = [draft for draft in drafts if draft.texts or draft.role is not ChatRole.SYSTEM]
        if self._has_default(text, drafts, course):
            del drafts[0]
        texts = dict.fromkeys(text[held.start : held.end] for held in definitions)  # some chats tell them twice
        tools = [tool for one in texts for tool in read_definition(self.spec.tools, one)]
        turns: list[Turn] = []
        waiting = PendingCalls()
        numbers: dict[int, int] = {}
        for draft in drafts:
            turn = self._turn(text, draft, tools, waiting)
            for held in (*draft.texts, *(held for some in draft.results for held in some)):
                numbers[held.start] = len(turns)
            if not isinstance(turn, Results):
                waiting.follow(turn)
            turns.append(turn)
        spans = tuple(self._spans(text, course, numbers))
        return Conversation(tuple(turns), tuple(tools), tuple(course.repairs), spans)

    def _drafts(self, course: Course) -> tuple[list[_ConversationDraft], list[Held]]:
        drafts: list[_ConversationDraft] = []
        definitions: list[Held] = []
        open_turns: list[_ConversationDraft] = []
        roles: list[ChatRole | None] = []
        """The roles of the rules that are open; of a rule in another one of its role only the outer one counts."""
        for part in course.parts:
            if isinstance(part, Held):
                role = self.spec.roles.get(part.rule)
                if part.slot in (ChatSlot.TOOL, ChatSlot.TOOLS):
                    definitions.append(part)
                elif role is ChatRole.RESULT and open_turns and open_turns[-1].results:
                    open_turns[-1].results[-1].append(part)
                elif open_turns and part.slot is not ChatSlot.DATE and role is not ChatRole.TOOL:
                    open_turns[-1].texts.append(part)
                continue
            if part.enters:
                role = self.spec.roles.get(part.rule)
                roles.append(None if role in roles else role)
            match role := roles[-1] if part.enters else roles.pop():
                case ChatRole.SYSTEM | ChatRole.USER | ChatRole.ANSWER | ChatRole.RESULTS:
                    if part.enters:
                        draft = _ConversationDraft(role, [], [])
                        # A system text inside of the user's turn stands before it.
                        drafts.insert(len(drafts) - len(open_turns), draft)
                        open_turns.append(draft)
                    elif open_turns:
                        open_turns.pop()
                case ChatRole.RESULT if part.enters and open_turns:
                    open_turns[-1].results.append([])
        return drafts, definitions

    def _has_default(self, text: str, drafts: Sequence[_ConversationDraft], course: Course) -> bool:
        """True when the first turn is the system text that the chat writes by itself, where nobody gave one."""
        roles = [draft.role for draft in drafts[:2]]
        if roles[:1] != [ChatRole.SYSTEM] or drafts[0].said(text) != self.spec.system:
            return False
        entered = {part.rule for part in course.parts if not isinstance(part, Held)}
        return roles[1:] != [ChatRole.SYSTEM] and self._of_default <= entered

    def _turn(self, text: str, draft: _ConversationDraft, tools: Sequence[Any], waiting: PendingCalls) -> Turn:
        said = draft.said(text)
        match draft.role:
            case ChatRole.SYSTEM:
                return System(said)
            case ChatRole.USER:
                return User(*without_tokens(said, self.spec.media))
            case ChatRole.ANSWER:
                return Assistant(self.answers.read(said, tools), said, self.answers.dialect.name, "")
            case _:
                return self._results(text, draft, waiting)

    def _results(self, text: str, draft: _ConversationDraft, waiting: PendingCalls) -> Results:
        found = []
        for parts in self._alone(text, draft.results) if len(waiting.calls) == 1 else draft.results:
            slots = {held.slot: text[held.start : held.end] for held in parts}
            output, media = without_tokens(self._output(slots.get(ChatSlot.TEXT, "")), self.spec.media)
            found.append(ToolResult(slots.get(ChatSlot.ID, ""), slots.get(ChatSlot.NAME, ""), output, media=media))
        results = []
        for result, call in zip(found, waiting.follow(Results(tuple(found))), strict=True):
            if call is not None:
                result = replace(result, call_id=result.call_id or call.id or "", name=result.name or call.name)
            results.append(result)
        return Results(tuple(results))

    def _alone(self, text: str, results: list[list[Held]]) -> list[list[Held]]:
        """The result of a single call: a comma or a line break in it separates no results, as it would of several."""
        if not all(len(parts) == 1 and parts[0].slot is ChatSlot.TEXT for parts in results):
            return results
        held = [part for parts in results for part in parts]
        between = (text[one.end : two.start] for one, two in pairwise(held))
        return [[held[0]._replace(end=held[-1].end)]] if all(len(one) <= MAX_SIGNS for one in between) else results

    def output_read(self, output: str) -> str:
        """A result's output as it is read back."""
        return output if self.spec.output is OutputKind.TEXT else self._output(written(self.spec.output, output))

    def _output(self, text: str) -> str:
        """A result's output, of the text that it is written as."""
        if self.spec.output is OutputKind.TEXT:
            return text
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return value if isinstance(value, str) else text

    def _spans(self, text: str, course: Course, numbers: dict[int, int]) -> list[OriginSpan]:
        spans = []
        at = 0
        for part in course.parts:
            if isinstance(part, Held) and part.end > part.start:
                if part.start > at:
                    spans.append(OriginSpan(at, part.start, Origin.SCAFFOLD, -1))
                role = self.spec.roles.get(part.rule)
                origin = _ORIGINS.get(role, Origin.SCAFFOLD) if role else Origin.SCAFFOLD
                spans.append(OriginSpan(part.start, part.end, origin, numbers.get(part.start, -1)))
                at = part.end
        if at < len(text):
            spans.append(OriginSpan(at, len(text), Origin.SCAFFOLD, -1))
        return spans


# Media placeholders: the tokens that stand for an image, a sound, a video or a file in the texts of a chat
#
# While a conversation is written, a sign of private use stands in the place of each, so that no text can bring its own.


Tokens = Mapping[MediaKind, str]
_FIRST: Final = 0xF0000
"""The first sign of private use."""
MAX_PLACES: Final = 0xFFFE
"""Media that a conversation may have. Beyond it: it is refused."""


def with_signs(turns: Sequence[Turn], tokens: Tokens, chat: str) -> tuple[Sequence[Turn], dict[str, Media]]:
    """The turns with a sign in the place of each medium, and the media by their signs. Raises RenderError."""
    found = [one for turn in turns for one in media_of(turn)]
    for one in found[:1] if len(found) > MAX_PLACES else (one for one in found if one.kind not in tokens):
        raise RenderError(one.kind, f"the chat `{chat}` has no place for it", str(one.part.get("type")))
    signs: dict[str, Media] = {}
    return [_with_signs(turn, signs) if media_of(turn) else turn for turn in turns] if found else turns, signs


def _with_signs(turn: Turn, signs: dict[str, Media]) -> Turn:
    def signed(text: str, media: Sequence[Media]) -> str:
        pieces = []
        for piece in between(text, media):
            if isinstance(piece, Media):
                sign = chr(_FIRST + len(signs))
                signs[sign], piece = piece, sign
            pieces.append(piece)
        return "".join(pieces)

    if isinstance(turn, User):
        return replace(turn, text=signed(turn.text, turn.media), media=())
    assert isinstance(turn, Results)
    return Results(tuple(replace(one, output=signed(one.output, one.media), media=()) for one in turn.results))


def with_tokens(text: Transcript, signs: Mapping[str, Media], tokens: Tokens) -> Transcript:
    """The text with tokens in the place of signs. Raises RenderError where it has a sign elsewhere, or not at all."""
    if not signs:
        return text
    any_sign = re.compile(f"([{min(signs)}-{max(signs)}])")
    counts = Counter(any_sign.findall(text))
    for sign, one in signs.items():
        if counts[sign] != 1:
            raise RenderError(one.kind, "the chat writes no text where it stands", str(one.part.get("type")))

    def pieces() -> Iterator[tuple[str, Origin, int]]:
        for piece in text.pieces:
            if any_sign.search(piece[0]) is None:
                yield piece
                continue
            for number, part in enumerate(any_sign.split(piece[0])):
                yield (tokens[signs[part].kind], Origin.SCAFFOLD, piece[2]) if number % 2 else (part, *piece[1:])

    return Transcript(pieces(), text.defused, text.author, text.changed)


def without_tokens(text: str, tokens: Tokens) -> tuple[str, tuple[Media, ...]]:
    """A text that was read, without tokens, and the media that these stand for, of which only the kind is known."""
    kinds = {token: kind for kind, token in tokens.items()}
    if not any(token in text for token in kinds):
        return text, ()
    parts = re.split("(" + "|".join(map(re.escape, sorted(kinds, key=len, reverse=True))) + ")", text)
    media, size = [], 0
    for number, part in enumerate(parts):
        if number % 2:
            media.append(Media(kinds[part], size, {"type": kinds[part]}))
        else:
            size += len(part)
    return "".join(parts[::2]), (*media,)
