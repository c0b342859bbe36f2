"""Chat of a grammar: conversations as the texts that models of a family are given, and back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date as Date  # noqa: N812
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, TypeAlias
from zlib import crc32

from msgspec.structs import replace

from toolect._chats.answers import Answers
from toolect._chats.continuing import Beginning, Written, check_chat, check_conversation
from toolect._chats.conversation_diff import Change, calls_of, changes, left_unread
from toolect._chats.conversation_reader import ConversationReader, with_signs, with_tokens
from toolect._chats.incremental_writer import IncrementalWriter
from toolect._chats.injection_guard import Guard
from toolect._chats.marker_scan import HeldText, Scan
from toolect._chats.outline import Outlines
from toolect._chats.plan import Plans
from toolect._chats.read_back_cache import ReadBackCache
from toolect._chats.round_trips import RoundTrips, Shape
from toolect._chats.transcript_reader import Course, TranscriptReader
from toolect._chats.transcript_writer import Unsafe, Writer
from toolect._chats.turn_facts import Thinking
from toolect._compiled import Dialect
from toolect._exchange.media import media_of, refuse_media
from toolect._message import Content, Message, Reasoning, Status, check_type
from toolect._rendered import RenderError
from toolect._spec.chat_model import ChatSpec
from toolect._transcript import Defused, Transcript
from toolect._turns import Assistant, System, User, with_one_system
from toolect.conversation import Conversation

Check: TypeAlias = Literal["sample", "all", "none"]
"""The conversations that are read back to find their losses. A sample has the first of each shape, all that are
unusual, and one of a hundred others.
"""
SAMPLED_SHARE = 100
"""One of so many is read back that need not be."""


class Converted(NamedTuple):
    """A transcript in another chat, and the losses of its conversation."""

    text: Transcript
    losses: tuple[str, ...]


class RenderedConversation(NamedTuple):
    """A conversation's text, and its changes. Ids are no content: they only say whose a result is."""

    text: str
    changes: tuple[Change, ...] = ()
    defused: tuple[Defused, ...] = ()
    shape: Shape | None = None
    """Key shared with other conversations that lose the same; None for one that is to be read back."""


class Chat(Written):
    """One chat. Safe to share between threads."""

    def __init__(self, spec: ChatSpec, dialect: Dialect) -> None:
        self.spec = spec
        self.dialect = dialect
        self.id_size = spec.ids
        self._plans = Plans(spec)
        self._outlines = Outlines(self._plans)
        self._answers = Answers(dialect, self._plans)
        self._conversations = ConversationReader(spec, self._answers)

    @cached_property
    def _reader(self) -> TranscriptReader:
        return TranscriptReader(self.spec)

    @cached_property
    def _scan(self) -> Scan:
        return Scan(self.spec, self._reader, self._answers)

    @cached_property
    def _guard(self) -> Guard:
        return Guard(
            self.spec, self._answers, self._scan, lambda text: self.parse(text), self._conversations.output_read
        )

    @cached_property
    def _cache(self) -> ReadBackCache:
        return ReadBackCache(self._scan, self._answers)

    @cached_property
    def _round_trips(self) -> RoundTrips:
        return RoundTrips(self.spec, self._conversations.output_read)

    @property
    def name(self) -> str:
        """The chat's name."""
        return self.spec.name

    @property
    def tokens(self) -> tuple[str, ...]:
        """The markers that turns are made of, and the special tokens of its model: no text may hold them."""
        return self._scan.tokens

    @property
    def ends(self) -> tuple[str, ...]:
        """The tokens that end an answer."""
        return self.spec.end

    def end_after(self, calls: bool) -> str:
        """The token that ends an answer, with calls or without: what the next turn begins with, else the first."""
        return self._plans.end_after(calls)

    def opened(self, opening: str) -> str | None:
        """The part of an opening that belongs to the answer, as `<think>\n`."""
        return opening.removeprefix(self._plans.opener(opening))

    def __repr__(self) -> str:
        return f"<Chat {self.name}>"

    def _inner(self, message: Message, sampled: str, thinking: Thinking, date: Date | str | None) -> Message:
        """A message whose texts are as the grammar reads them, where that leaves out blanks and tokens of the chat."""
        prompt = self.render(Conversation([User("?")]), thinking=thinking, date=date)
        turns = self.parse(prompt + sampled).turns
        read = next((one.message.segments for one in turns if isinstance(one, Assistant)), [])
        segments, texts = [*message.segments], (Content, Reasoning)
        for at, (one, other) in enumerate(zip(segments, read, strict=False)):
            if isinstance(one, texts) and isinstance(other, texts):
                before, said, after = one.text.partition(other.text)
                if said and {before.strip(), after.strip()} <= {"", *self.tokens}:
                    segments[at] = replace(one, text=said)
        return Message(segments, message.repairs)

    def render(
        self,
        conversation: Conversation,
        generate: bool = True,
        *,
        thinking: Thinking = None,
        date: Date | str | None = None,
        unsafe: Unsafe = "refuse",
    ) -> Transcript:
        """The conversation as the grammar of the chat has it, to the same terms as every chat."""
        conversation = self._in_order(conversation)
        turns, signs = with_signs(conversation.turns, self.spec.media, self.name)
        conversation = replace(conversation, turns=turns) if signs else conversation
        writer = self._writer(unsafe, date)
        text = writer.write(turns, conversation.tools, generate, thinking)
        if writer.has_markers:
            text = self._read_back(conversation, text, writer.held, generate, thinking, date, unsafe)[0]
        return with_tokens(text, signs, self.spec.media)

    def _in_order(self, conversation: Conversation) -> Conversation:
        """The conversation in order; texts of the system at the head are one where the chat has one place for them."""
        conversation = super()._in_order(conversation)
        turns = with_one_system(conversation.turns)
        return conversation if turns is conversation.turns or self._has_systems else replace(conversation, turns=turns)

    @cached_property
    def _has_systems(self) -> bool:
        """True where each of several texts of the system at the head has a place of its own."""
        texts = "Be brief.", "Be kind."
        try:
            written = self._writer("keep", None).write([*map(System, texts), User("Hi")], (), False, None)
        except RenderError:
            return False
        return all(text in written for text in texts)

    def _writer(self, unsafe: Unsafe, date: Date | str | None) -> Writer:
        return Writer(self._outlines, self._answers, self._scan, self._cache, unsafe, date)

    def _read_back(
        self,
        conversation: Conversation,
        text: Transcript,
        held: Sequence[HeldText],
        generate: bool,
        thinking: Thinking,
        date: Date | str | None,
        unsafe: Unsafe,
    ) -> tuple[Transcript, Conversation]:
        """A text that is read back as it was given, and what is read. Raises RenderError."""

        def write(one: Conversation) -> Transcript:
            return self._writer("keep", date).write(one.turns, one.tools, generate, thinking)

        done = self._guard.checked(conversation, text, write, unsafe == "neutralise")
        if done[0] is text:
            self._scan.learn_tools(held)
        listed = self._cache.listed(conversation.tools)
        self._cache.learn(calls_of(conversation.turns), calls_of(done[1].turns), listed)
        return done

    def beginning(
        self,
        conversation: Conversation,
        *,
        thinking: Thinking = None,
        date: Date | str | None = None,
        unsafe: Unsafe = "refuse",
    ) -> Beginning:
        """A function that writes the first turns: each turn once, and again where a further one changes it."""
        check_conversation(conversation)
        if any(isinstance(turn, System) for turn in conversation.turns[1:]):
            return super().beginning(conversation, thinking=thinking, date=date, unsafe=unsafe)
        conversation = self._in_order(conversation)
        turns = conversation.turns
        refuse_media(turns, "a text that is written turn by turn")

        def read_back(
            size: int, text: Transcript, held: Sequence[HeldText], generate: bool, thinking: Thinking
        ) -> Transcript:
            first = Conversation(turns[:size], conversation.tools)
            return self._read_back(first, text, held, generate, thinking, date, unsafe)[0]

        return IncrementalWriter(partial(self._writer, unsafe, date), turns, conversation.tools, thinking, read_back)

    def round_trip(
        self,
        conversation: Conversation,
        *,
        thinking: Thinking = None,
        date: Date | str | None = None,
        unsafe: Unsafe = "refuse",
        check: Check = "all",
    ) -> RenderedConversation:
        """The text as of `render`, and what it loses of the conversation: found out by reading it back.

        What is not read back, as `check` says, loses what others of its shape do; with `none` no loss is looked for.
        """
        conversation = self._in_order(conversation)
        media = [one for turn in conversation.turns for one in media_of(turn)]
        if any(one.part != {"type": one.kind} for one in media):
            refuse_media(conversation.turns, "a text that is read back")  # what it is would be lost
        if media:
            text = self.render(conversation, False, thinking=thinking, date=date, unsafe=unsafe)
            lost = changes(conversation, self.parse(text), ids=False)
            return RenderedConversation(text, (*lost,), text.defused, None)
        writer = self._writer(unsafe, date)
        text = writer.write(conversation.turns, conversation.tools, False, thinking)
        shape = self._round_trips.shape(conversation, writer) if check == "sample" and unsafe != "keep" else None
        is_drawn = shape is not None and crc32(text.encode("utf-8", "surrogatepass")) % SAMPLED_SHARE == 0
        found: tuple[Change, ...] | None = None if check != "none" else ()
        if shape is not None and not is_drawn:
            found = self._round_trips.changes(shape, conversation, writer)
        back = None
        if writer.has_markers:
            text, back = self._read_back(conversation, text, writer.held, False, thinking, date, unsafe)
        if found is None:
            back = back or self.parse(text)
            found = (*changes(conversation, back, ids=False),)
            if unsafe != "keep":
                self._cache.learn(calls_of(conversation.turns), calls_of(back.turns), writer.listed)
            if shape is not None:
                self._round_trips.learn(shape, found)
        return RenderedConversation(text, found, text.defused, None if is_drawn else shape)

    def course(self, text: str) -> Course:
        """The course of any text through the grammar: the rules, the contents of their slots, and the repairs."""
        check_type(text, str, "a transcript")
        return self._reader.read(text)

    def parse(self, text: str) -> Conversation:
        """The conversation that a transcript tells, with its repairs and spans. Never raises on any text.

        A text of another chat tells no turns; `looks_like` says which it may be of.
        """
        return self._conversations.conversation(text, self.course(text))

    def convert(self, text: str, target: Written, **options: Any) -> Converted:
        """A transcript of this chat as one of `target`, with its losses. Raises TypeError for no chat."""
        check_chat(target)
        conversation = self.parse(text)
        generate = not conversation.turns or not isinstance(conversation.turns[-1], Assistant)
        anew = target.dialect.name != self.dialect.name
        turns = tuple(
            Assistant(turn.message) if isinstance(turn, Assistant) and (anew or _hangs_on_tools(turn, target)) else turn
            for turn in conversation.turns
        )
        written = target.render(Conversation(turns, conversation.tools), generate, **options)
        unread = left_unread(conversation.turns if anew else (), conversation.repairs)
        return Converted(written, (*map(str, unread), *target.losses(conversation, written)))

    def losses(self, conversation: Conversation, text: Transcript) -> tuple[str, ...]:
        """Changes of a conversation that is read back from its text, as sentences."""
        return tuple(map(str, changes(conversation, self.parse(text))))


def _hangs_on_tools(answer: Assistant, target: Written) -> bool:
    """True where calls have names that are read only with the tools, which some chats do not give back."""
    calls = answer.message.calls
    if answer.text is None or not calls or any(call.status is not Status.OK for call in calls):
        return False
    return [call.name for call in target.dialect.parse(answer.text).runnable] != [call.name for call in calls]
