"""A chat that is a model's own template: rendered in the sandbox, and taken apart by whose words it writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date as Date  # noqa: N812
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from toolect._chats.answers import plain_dialect
from toolect._chats.continuing import Written, check_conversation
from toolect._chats.control_tokens import any_of
from toolect._chats.conversation_diff import Change, same_calls
from toolect._chats.filling import check_spelled
from toolect._chats.given_texts import SAMPLED, TextPlace, mapped
from toolect._chats.injection_guard import split_markers
from toolect._chats.template_pieces import Piece, TemplateWork, Ways, apart, definitions, pieces, ways
from toolect._chats.transcript_writer import Unsafe, check_unsafe
from toolect._chats.turn_facts import Thinking
from toolect._compiled import Dialect
from toolect._exchange.gathering import check, numbered
from toolect._exchange.media import refuse_media
from toolect._message import Json, MessageError, check_type
from toolect._rendered import BreakOutError, Rendered, RenderError
from toolect._transcript import Author, Defused, Origin, Transcript
from toolect._turns import Assistant, Turn
from toolect.chat_template import read_template, special_tokens, template_of
from toolect.chat_template.sandbox import Sandbox
from toolect.chat_template.verdict import best_dialect
from toolect.conversation import Conversation


class TemplateChat(Written):
    """A chat by its template, which can only write. Safe to share between threads.

    `variables` are what the model's tokenizer tells its template: `bos_token`, for example.
    """

    def __init__(
        self, template: str, dialect: Dialect, variables: Mapping[str, Json] | None = None, name: str = "template"
    ) -> None:
        self.template, self.dialect, self._name = template, dialect, name
        self._sandbox = Sandbox()
        self.variables: dict[str, Json] = {"bos_token": "", "eos_token": "", **(variables or {})}

    @property
    def name(self) -> str:
        """The chat's name."""
        return self._name

    def __repr__(self) -> str:
        return f"<TemplateChat {self.name}>"

    @property
    def tokens(self) -> tuple[str, ...]:
        """The markers that turns are made of: no text may hold them."""
        return self._ways.tokens

    @property
    def ends(self) -> tuple[str, ...]:
        """The tokens that end an answer."""
        return self._ways.answered.ends

    def close(self) -> None:
        """End the process that renders; another one starts when it is needed."""
        self._sandbox.close()

    def losses(self, conversation: Conversation, text: Transcript) -> tuple[str, ...]:
        """The texts that the template tells otherwise, and the tools where it does not tell of them."""
        found = [
            Change("written otherwise" if one.written else "left out", one.turn, repr(one.given[:40]))
            for one in text.changed
        ]
        if conversation.tools and not any(span.origin is Origin.TOOLS for span in text.spans):
            found.insert(0, Change("the tools are left out"))
        return tuple(map(str, found))

    def render(
        self,
        conversation: Conversation,
        generate: bool = True,
        *,
        thinking: Thinking = None,
        date: Date | str | None = None,
        unsafe: Unsafe = "refuse",
    ) -> Transcript:
        """The conversation as text, as for any other chat.

        Raises RenderError for what the template refuses, and TemplateError for one that does not render at all.
        """
        check_conversation(conversation)
        refuse_media(conversation.turns, "a template's text")
        sounded = replace(conversation, turns=tuple(sound(self._in_order(conversation).turns)))
        guarded = Guarded(sounded, any_of(self.tokens), unsafe)
        text = self._rendered(guarded, generate, thinking, date)
        if unsafe != "keep":
            self._check_answers(guarded.given, text, lambda twin: self._rendered(twin, generate, thinking, date))
        return text

    def _rendered(self, guarded: Guarded, generate: bool, thinking: Thinking, date: Date | str | None) -> Transcript:
        turns, tools = guarded.given.turns, guarded.given.tools
        given = self.variables | {"tools": [*map(dict, tools)] or None, "documents": None}
        if isinstance(thinking, str):  # the names that templates have for it
            given |= {"reasoning_effort": thinking}
        elif thinking is not None:
            given |= {"enable_thinking": thinking, "thinking": thinking}
        work = TemplateWork(self.template, given, "" if date is None else str(date), self._sandbox)
        text, marks, changed = work.rendered(turns, generate, self._ways)
        marks = apart([*marks, *definitions(text, tools)])
        author = Author(self.dialect, (self.template,))
        return Transcript(self._replayed(pieces(text, marks), turns), guarded.defused, author, changed)

    def _check_answers(self, given: Conversation, text: Transcript, write: Callable[[Guarded], Transcript]) -> None:
        """Raise RenderError for an answer whose calls are read otherwise, if they are not with words in all texts."""
        if not (odd := self._other_calls(given, text)):
            return

        def word(place: TextPlace, one: str) -> str:
            return one if place.what == SAMPLED or place.turn < 0 or one.isidentifier() else "zq"

        twin = mapped(given, word)
        again = self._other_calls(twin, write(Guarded(twin, any_of(self.tokens), "keep")))
        for number, said in odd.items():
            if number not in again:
                raise BreakOutError(f"turn {number}, answer", "its calls would be read otherwise", said)

    def _other_calls(self, given: Conversation, text: Transcript) -> dict[int, str]:
        """The answers whose calls are read otherwise than they were given, by the numbers of their turns."""
        found = {}
        for number, turn in enumerate(given.turns):
            said = "".join(one[0] for one in text.pieces if one[1] is Origin.ANSWER and one[2] == number)
            if isinstance(turn, Assistant) and said:
                read = self.dialect.parse(said, given.tools or None).calls
                if not same_calls(turn.message.calls, read):
                    found[number] = said
        return found

    @cached_property
    def _ways(self) -> Ways:
        return ways(self.template, self.variables, self.dialect, self._sandbox)

    def _replayed(self, pieces: Sequence[Piece], turns: Sequence[Turn]) -> Iterator[Piece]:
        """The pieces, with sampled answers as they were sampled, unless the template leaves their reasoning out."""
        for text, origin, number in pieces:
            turn = turns[number]
            if origin is not Origin.ANSWER or not isinstance(turn, Assistant):
                yield text, origin, number
                continue
            end = next((token for token in self._ways.answered.ends if text.endswith(token)), "")
            said = turn.text is not None and turn.dialect in (None, self.dialect.name)
            kept = turn.message.reasoning.strip() in text
            body = turn.text if turn.text is not None and said and kept and end else text.removesuffix(end)
            yield Rendered(body), origin, number
            yield end, origin, number


def from_template(source: str | Path, dialect: Dialect | None, variables: Mapping[str, Json] | None) -> TemplateChat:
    """The chat of a template's text, or of a file. Raises TemplateError, OSError."""
    path = _path(source)
    template = template_of(str(source)) if path is None else read_template(path)
    known = {} if path is None else special_tokens(path)
    name = "template" if path is None else path.stem
    return TemplateChat(
        template, dialect or best_dialect(template) or plain_dialect(), known | dict(variables or {}), name
    )


def _path(source: str | Path) -> Path | None:
    """The path that `source` is; None for the text of a template."""
    if isinstance(source, Path):
        return source
    check_type(source, str, "a template, or its path,")
    return None if "{" in source or "\n" in source else Path(source)


# Turns as any template may be given them: with ids, in an order that there is, and with no markup in their texts


def sound(turns: Sequence[Turn]) -> list[Turn]:
    """The turns, with ids for all calls. Raises RenderError for turns that no template tells as what they are."""
    try:
        check(turns)
    except MessageError as error:
        raise RenderError("conversation", str(error)) from None
    for turn in turns:
        if isinstance(turn, Assistant):
            check_spelled(turn.message)
    return list(numbered(turns))


class Guarded:
    """A conversation in which texts with markers of turns are refused, made harmless or kept.

    Raises RenderError for what is refused; names, keys and ids are never made harmless.
    """

    def __init__(self, given: Conversation, markers: re.Pattern[str], unsafe: Unsafe) -> None:
        check_unsafe(unsafe)
        self._markers, self._unsafe = markers, unsafe
        self.defused: list[Defused] = []
        self.given = given if unsafe == "keep" else mapped(given, self._safe)

    def _safe(self, place: TextPlace, text: str) -> str:
        found = None if place.what == SAMPLED else self._markers.search(text)
        if found is None:
            return text
        if self._unsafe == "refuse" or place.is_name:
            raise BreakOutError(str(place), f"it holds `{found[0]}`, which is markup of the template", text)
        self.defused.append(Defused(place.turn, found[0]))
        return split_markers(text, self._markers)
