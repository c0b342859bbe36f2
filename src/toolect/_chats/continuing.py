"""Continuation of a transcript: the text to append to a prompt and the model's answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date as Date  # noqa: N812
from functools import cached_property, partial
from itertools import zip_longest
from typing import Final, NamedTuple, Protocol

from msgspec.structs import replace

from toolect._chats.given_texts import mapped
from toolect._chats.transcript_writer import Unsafe
from toolect._chats.turn_facts import Thinking
from toolect._compiled import Dialect
from toolect._exchange.order_of_calls import in_order_of_calls
from toolect._message import Call, Content, Json, Message, Reasoning, kind_of, not_text
from toolect._rendered import BreakOutError, RenderError
from toolect._transcript import Origin, Transcript
from toolect._turns import Assistant, Results, System, Turn, User, with_one_system
from toolect._values.trees import texts_in
from toolect.conversation import Conversation


def check_conversation(given: object) -> None:
    """Raise TypeError for what is no conversation, as the messages are that one is made of."""
    if not isinstance(given, Conversation):
        hint = ": Conversation.from_openai(messages) makes one" if isinstance(given, list | dict) else ""
        raise TypeError(f"expected a Conversation, got {kind_of(given)}{hint}")


def check_chat(given: object) -> None:
    """Raise TypeError for what is no chat, as its name is none."""
    if not isinstance(given, Written):
        raise TypeError(f"expected a chat, as `toolect.chat(name)`, got {kind_of(given)}")


class Rewritten(NamedTuple):
    """Reason to append nothing: from character `at` on, the chat would write `now` where the model was given `was`.

    It is false, as there is no text.
    """

    reason: str
    at: int
    was: str
    now: str

    def __bool__(self) -> bool:
        return False


_TOOLS: Final = "\U0010fffd"
"""Placeholder of the tools while a prompt is written: a sign of private use."""


def with_tools(turns: Iterable[Turn], words: str) -> list[Turn]:
    """The turns, with `words` about tools at the end of the first one, the system prompt."""
    turns = [*turns]
    if not words:
        return turns
    if turns and isinstance(first := turns[0], System):
        return [replace(first, text=f"{first.text}\n\n{words}"), *turns[1:]]
    return [System(words), *turns]


def _one_by_one(turns: Sequence[Turn]) -> Iterator[Turn]:
    """The turns, with each call of an answer in an answer of its own, before its result."""
    alone = False
    for turn, after in zip_longest(turns, turns[1:]):
        calls = turn.message.runnable if isinstance(turn, Assistant) else []
        results = after.results if isinstance(after, Results) else ()
        was, alone = alone, 1 < len(calls) == len(results)
        if alone and isinstance(turn, Assistant):
            words = [one for one in turn.message.segments if not isinstance(one, Call)]
            for call, result in zip(calls, results, strict=True):
                yield from (Assistant(Message([*words, call])), Results((result,)))
                words = []
        elif not was:
            yield turn


class Beginning(Protocol):
    """Writes the first `size` turns of one conversation, of which `generate` and `quiet` may be said each time."""

    def __call__(self, size: int, generate: bool, quiet: bool = False, /) -> Transcript:
        """`quiet` asks for no reasoning, unless the caller has set `thinking`."""


class Written(ABC):
    """A chat, as far as it writes."""

    dialect: Dialect
    id_size = 0
    """Number of letters and digits of the ids of calls; 0 for any."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The chat's name."""

    @property
    @abstractmethod
    def ends(self) -> tuple[str, ...]:
        """The tokens that end an answer."""

    @cached_property
    def stops(self) -> tuple[str, ...]:
        """The texts to stop an answer at: tokens that end it, and do not stand within one, as some families' do."""
        written: list[str] = []
        thought, words, call = Reasoning("a"), Content("a"), Call("name", {"key": "value"})
        for said in (Message([thought, words]), Message([thought, call]), Message([words, call])):
            with suppress(RenderError):
                written.append(str(self.dialect.render(said)))
        ends = self.ends or self.dialect.spec.end
        return tuple(end for end in ends if not any(end in text.removesuffix(end) for text in written))

    def sampled_end(self, text: str) -> str:
        """The token at the end of a sampled text that ends the answer; empty for one that was cut off."""
        return max(filter(text.endswith, self.ends), key=len, default="")

    def answer(
        self,
        sampled: str,
        conversation: Conversation | None = None,
        *,
        thinking: Thinking = None,
        date: Date | str | None = None,
    ) -> Assistant:
        """The answer that a sampled text is, read on from what the prompt of `conversation` had opened.

        Without a conversation it was a question of the user. The options are those that the prompt was rendered with.
        Raises TypeError for what is no text.
        """
        if not isinstance(sampled, str):
            raise not_text(sampled)
        asked = conversation or Conversation([User("?")])
        prompt = self.render(asked, True, thinking=thinking, date=date, unsafe="keep")
        end, graph = self.sampled_end(sampled), self.dialect._graph()
        text = sampled.removesuffix(end)
        said = sampled if any(end in one for one in (*graph.ends, *graph.closers)) else text
        message = self.dialect.parse(said, [*asked.tools] or None, prefix=prompt[-256:])
        message = self._inner(message, sampled, thinking, date)
        before = self.render(asked, False, thinking=thinking, date=date, unsafe="keep")
        opened = prompt[len(before) :] if thinking is not None and prompt.startswith(before) else None
        return Assistant(message, text, self.dialect.name, opened and self.opened(opened))

    def _inner(self, message: Message, sampled: str, thinking: Thinking, date: Date | str | None) -> Message:  # noqa: ARG002
        """A sampled message without the text that the grammar of the chat has around its texts."""
        return message

    def opened(self, opening: str) -> str | None:  # noqa: ARG002 - what a chat knows of
        """The part of an opening that belongs to the answer; None where that is not known."""
        return None

    def end_after(self, calls: bool) -> str:  # noqa: ARG002 - what a chat knows of
        """The token that ends an answer, with calls or without; empty where none is known."""
        return next(iter(self.ends), "")

    @abstractmethod
    def render(
        self,
        conversation: Conversation,
        generate: bool = True,
        *,
        thinking: Thinking = None,
        date: Date | str | None = None,
        unsafe: Unsafe = "refuse",
    ) -> Transcript:
        """The conversation as text, and what asks for the next answer if `generate`.

        `thinking` asks for reasoning, or for none, in families that know both, and for `low`, `medium` or `high`
        effort in those that have it; `date` is today's in those that have one. Raises RenderError for what the chat
        cannot carry, and for a text that would break out of its place, unless `unsafe` says that it is made harmless or
        kept.
        """

    def prompt(
        self,
        conversation: Conversation,
        *,
        thinking: Thinking = None,
        date: Date | str | None = None,
        unsafe: Unsafe = "refuse",
    ) -> Transcript:
        """The prompt for the next answer: as `render` writes it, and what the chat has no place for in words.

        Templates leave out such tools and calls in silence, or refuse answers of such a form. Here the tools stand in
        the system text, and the calls in their answer, as the dialect writes them, or one at a time; texts of the
        system further back stand at the head. Raises RenderError as `render`, and where the dialect writes none.
        """
        check_conversation(conversation)
        render = partial(self.render, thinking=thinking, date=date, unsafe=unsafe)
        conversation = self._in_order(self._with_systems(conversation))
        try:
            text = render(conversation)
        except BreakOutError:
            raise
        except RenderError as error:
            conversation, text = self._spelled(conversation, error, render)
        turns, tools = conversation.turns, conversation.tools
        said = {number: "" for number, turn in enumerate(turns) if isinstance(turn, Assistant) and turn.text is None}
        has_tools = not tools
        for start, end, origin, number in text.spans:
            has_tools = has_tools or origin is Origin.TOOLS
            if origin is Origin.ANSWER and number in said:
                said[number] += text[start:end]
        spelled = tuple(self._with_calls(turn, said.get(number), tools) for number, turn in enumerate(turns))
        if has_tools and spelled == turns:
            return text
        words = "" if has_tools else self._tools_in_words(tools, unsafe)
        if words:
            spelled, tools = tuple(with_tools(spelled, _TOOLS)), ()
        text = render(Conversation(spelled, tools))
        if words and text.count(_TOOLS) != 1:
            raise RenderError("tools", f"the chat `{self.name}` has no place for them")
        pieces = []
        for piece, origin, number in text.pieces:
            before, sign, after = piece.partition(_TOOLS)
            named = [(before, origin), (words, Origin.TOOLS), (after, origin)] if sign else [(piece, origin)]
            pieces += [(one, whose, number) for one, whose in named if one]
        return Transcript(pieces, text.defused, text.author, text.changed)

    def _with_systems(self, conversation: Conversation) -> Conversation:
        """The conversation with all texts of the system at its head, where the chat has no place for one of them."""
        systems = [turn for turn in conversation.turns if isinstance(turn, System)]
        if [*conversation.turns[: len(systems)]] == systems:
            return conversation
        try:
            text = self.render(conversation, unsafe="keep")
        except RenderError:
            text = Transcript()
        if all(turn.text.strip() in text for turn in systems):
            return conversation
        others = (turn for turn in conversation.turns if not isinstance(turn, System))
        return replace(conversation, turns=(*with_one_system(systems), *others))

    def _tools_in_words(self, tools: Sequence[Mapping[str, Json]], unsafe: Unsafe) -> str:
        """The dialect's words on tools, which say how calls are written: the texts of tools may hold no markup."""
        if unsafe == "keep":
            return self.dialect.render_tools([*map(dict, tools)])

        def checked(text: str, unsafe: Unsafe) -> str:
            done = self.render(Conversation([System(text), User("?")]), False, unsafe=unsafe)
            return "".join(one for one, origin, _ in done.pieces if origin is Origin.SYSTEM) if done.defused else text

        try:
            checked(" ".join(texts_in([*map(dict, tools)])), "refuse")
        except RenderError:
            if unsafe == "refuse":
                raise
            given = Conversation((), tools)
            tools = mapped(given, lambda at, one: checked(one, "refuse" if at.is_name else unsafe)).tools
            checked(" ".join(texts_in([*tools])), "refuse")
        return self.dialect.render_tools([*map(dict, tools)])

    def _with_calls(self, turn: Turn, said: str | None, tools: Sequence[Mapping[str, Json]]) -> Turn:
        """The turn, with the dialect's text of it where the text of the chat, `said`, lacks its calls."""
        if said is None or not isinstance(turn, Assistant) or not turn.message.runnable:
            return turn
        if len(self.dialect.parse(said, [*tools] or None).runnable) >= len(turn.message.runnable):
            return turn
        return replace(turn, text=str(self.dialect.render(turn.message, tools)), opened="")

    def _spelled(
        self, given: Conversation, refused: RenderError, render: Callable[[Conversation], Transcript]
    ) -> tuple[Conversation, Transcript]:
        """The conversation with answers in a form that the chat does not refuse, and its text. Raises `refused`.

        The chat gets calls without the words around them, which stand in the answer as the dialect writes it; and one
        call at a time.
        """
        for turns in (given.turns, _one_by_one(given.turns)):
            with suppress(RenderError):
                found = replace(given, turns=tuple(self._as_sampled(turn, given.tools) for turn in turns))
                return found, render(found)
        raise refused

    def _as_sampled(self, turn: Turn, tools: Sequence[Mapping[str, Json]]) -> Turn:
        """The turn; of an answer with calls its text, as if it had been sampled, beside its message without words."""
        if not isinstance(turn, Assistant) or not turn.message.runnable:
            return turn
        is_own = turn.text is not None and turn.dialect in (None, self.dialect.name)
        text = turn.text if is_own else str(self.dialect.render(turn.message, tools or None))
        segments = [one for one in turn.message.segments if not isinstance(one, Content)]
        return replace(turn, message=Message(segments), text=text, dialect=self.dialect.name)

    @abstractmethod
    def losses(self, conversation: Conversation, text: Transcript) -> tuple[str, ...]:
        """Losses of a conversation in its text, as sentences."""

    def _in_order(self, conversation: Conversation) -> Conversation:
        """The conversation with results in the order of their calls, and ids as the dialect makes them."""
        check_conversation(conversation)
        sampled = partial(self._sampled, conversation.tools)
        turns = in_order_of_calls(conversation.turns, self.dialect.spec, sampled, self.id_size)
        return conversation if turns is conversation.turns else replace(conversation, turns=turns)

    def _sampled(self, tools: Sequence[Mapping[str, Json]], turn: Assistant) -> Sequence[str | None] | None:
        """The ids of calls in an answer that is written as it was sampled: whoever runs calls may give them others."""
        if turn.text is None or turn.dialect not in (None, self.dialect.name):
            return None
        calls, text = turn.message.calls, turn.text
        if not all(call.id and call.id in text for call in calls):
            read = self.dialect.parse(text, [*tools] or None).calls
            calls = read if len(read) == len(calls) else calls
        return [call.id for call in calls]

    def beginning(
        self,
        conversation: Conversation,
        *,
        thinking: Thinking = None,
        date: Date | str | None = None,
        unsafe: Unsafe = "refuse",
    ) -> Beginning:
        """A function that writes the first turns of a conversation, any number of them; the options are `render`'s."""

        def write(size: int, generate: bool, quiet: bool = False, /) -> Transcript:
            first = Conversation(conversation.turns[:size], conversation.tools)
            wish = False if quiet and thinking is None else thinking
            return self.render(first, generate, thinking=wish, date=date, unsafe=unsafe)

        return write

    def continuation(
        self,
        conversation: Conversation,
        turns: Sequence[Turn],
        generate: bool = True,
        *,
        thinking: Thinking = None,
        date: Date | str | None = None,
        unsafe: Unsafe = "refuse",
    ) -> Transcript | Rewritten:
        """The text to append to what the model was given and has answered, for `turns` to follow.

        `conversation` ends with the answer, best with its sampled text. Where the chat would write otherwise what came
        before, there is nothing to append.
        """

        def render(turns: Iterable[Turn], generate: bool) -> Transcript:
            one = Conversation(tuple(turns), conversation.tools)
            return self.render(one, generate, thinking=thinking, date=date, unsafe=unsafe)

        check_conversation(conversation)
        size = len(conversation.turns)
        whole = self._in_order(replace(conversation, turns=(*conversation.turns, *turns))).turns
        given, turns = whole[:size], whole[size:]
        last = given[-1] if given else None
        base: str
        if isinstance(last, Assistant):
            text = last.text if last.text is not None else str(self.dialect.render(last.message, conversation.tools))
            text = next((text.removesuffix(end) for end in self.ends if text.endswith(end)), text)
            base = render(given[:-1], True) + text
            given = (*given[:-1], Assistant(last.message, text, last.dialect))
        else:
            base = render(given, False)
        now = render((*given, *turns), generate)
        if now.startswith(base):
            return now.after(len(base))
        at = next((i for i, (a, b) in enumerate(zip(base, now, strict=False)) if a != b), min(len(base), len(now)))
        reason = f"`{self.name}` rewrites what came before: from character {at} on it would write other text"
        return Rewritten(reason, at, base[at : at + 40], now[at : at + 40])
