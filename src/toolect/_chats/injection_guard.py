"""Guard against prompt injection: what was written is read back, and has to be the conversation that was given.

What it has to be is the reading of a twin, in which words stand for all texts that may be markup: with these texts put
back, both are the same. So what a chat loses of any conversation is no reason to refuse one, and no way in which a text
may break out has to be known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from toolect._chats.answers import Answers
from toolect._chats.control_tokens import any_of
from toolect._chats.conversation_diff import changes
from toolect._chats.given_texts import SAMPLED, TextPlace, compared, mapped
from toolect._chats.marker_scan import JOINT, Scan
from toolect._chats.prompt_tools import TEXT
from toolect._message import Content, Message, Reasoning
from toolect._rendered import RenderError
from toolect._spec.chat_model import ChatSpec, Thoughts
from toolect._spec.prompts import OutputKind
from toolect._transcript import Defused, Origin, Transcript
from toolect._turns import Assistant, Results, System, Turn, User
from toolect.conversation import Conversation

SPLITTER = "\u200b"
"""A space without width: it keeps the signs of a marker from being one."""
DEFAULT = TextPlace(0, "system text")
"""The place of a text that the chat has a default for."""
MAX_SPLIT = 256
"""Times that a text of a conversation is made harmless. Beyond it: it is refused."""
_IS_PLAIN = re.compile(r"#/[\w$/.-]*|[\w$/ .,;!?%@+-]*").fullmatch
"""Matches texts that are no markup, unless they hold a marker; references of schemas are among them."""
_IS_NAME = re.compile(r"[\w$#/.:-]*").fullmatch
_SIGN = re.compile(r"[^\w\s]")
Write = Callable[[Conversation], Transcript]


class _Found(NamedTuple):
    """What was read of a text; or what is wrong with it, and the texts that may be the reason, the likeliest first."""

    back: Conversation | None
    broken: RenderError | None = None
    at: Sequence[tuple[TextPlace, str]] = ()


class _Split(NamedTuple):
    """A text that was made harmless: as it was, the marker in it, and how far it was gone."""

    text: str
    marker: str
    step: int


class _Harmless(NamedTuple):
    """A conversation, and which of its texts were made harmless, by their places and what they are now."""

    given: Conversation
    split: dict[tuple[TextPlace, str], _Split]


class Guard:
    """Reads back what one chat wrote."""

    def __init__(
        self,
        spec: ChatSpec,
        answers: Answers,
        scan: Scan,
        parse: Callable[[str], Conversation],
        output_read: Callable[[str], str],
    ) -> None:
        """`output_read` is what is read of a result's output."""
        self._spec, self._answers, self._parse, self._output_read = spec, answers, parse, output_read
        tokens = scan.tokens
        self._tokens = any_of(tokens)
        self._of_answers = any_of(token for token in tokens if token not in answers.texts)
        """The tokens that no text may hold, and those that no text of an answer may."""
        self._of_people = any_of(token for token in tokens if token not in spec.tokens.markup)
        """Those that neither the system nor a user may write."""
        self._strong = any_of(word for word in {*tokens, *scan.cores} if len(word) > 2)
        self._markers = any_of({*tokens, *scan.cores, *scan.beginnings, *answers.markers})

    def checked(
        self, given: Conversation, text: Transcript, write: Write, neutralise: bool
    ) -> tuple[Transcript, Conversation]:
        """A text that is read back as `given`, and what is read: `text`, or else one with harmless texts.

        Raises RenderError where there is none, or `neutralise` is false.
        """
        given = self._as_chat_has_it(given, {(one, at) for one, _, at in text.pieces})
        now = _Harmless(given, {})
        for _ in range(MAX_SPLIT):
            found = self._found(now.given, text, write)
            if found.back is not None:
                defused = [Defused(place.turn, one.marker) for (place, _), one in now.split.items()]
                return Transcript(text.pieces, defused, text.author) if defused else text, found.back
            assert found.broken is not None
            further = self._further(now, found.at) if neutralise else None
            if further is None:
                raise found.broken
            now, text = further, write(further.given)
        raise RenderError("conversation", f"more than {MAX_SPLIT} of its texts break out", str(text))

    def _further(self, now: _Harmless, at: Sequence[tuple[TextPlace, str]]) -> _Harmless | None:
        """The conversation with one text more of those `at` places made harmless; None where nothing is left to do."""
        for place, text in at:
            key = place, text
            known = now.split.get(key)
            step = known.step + 1 if known else 0
            if place.is_name or step >= len(_STEPS):
                continue
            original = known.text if known else text
            words = self._of_answers if place.what == SAMPLED else self._strong if step == 0 else self._markers
            new = _STEPS[step](original, words)
            marker = words.search(original) or self._markers.search(original)
            split = {one: kept for one, kept in now.split.items() if one != key}
            split[place, new] = _Split(original, marker[0] if marker else original[:40], step)
            return _Harmless(mapped(now.given, partial(_put, key, new)), split)
        return None

    def _as_chat_has_it(self, given: Conversation, written: Container[tuple[str, int]]) -> Conversation:
        """The conversation as the chat has it: reasoning taken out of content, outputs as they are read.

        `written` are texts with the numbers of their turns: an answer that stands there as it was sampled stays.
        """
        closer = self._answers.plans.thought_closer
        dropped = closer and self._spec.thoughts is not Thoughts.KEPT

        def changed(number: int, turn: Turn) -> Turn:
            if isinstance(turn, Results) and self._spec.output is not OutputKind.TEXT:
                return Results(tuple(replace(one, output=self._output_read(one.output)) for one in turn.results))
            if not dropped or not isinstance(turn, Assistant) or closer not in turn.message.content:
                return turn
            if (turn.text, number) in written:
                return turn
            said = self._answers.said(turn.message)
            if not (said.content or said.reasoning or said.calls):
                return turn  # an answer of markers alone is none at all
            thoughts = [Reasoning(said.reasoning)] if said.reasoning else []
            return replace(turn, message=Message([*thoughts, Content(said.content), *said.calls]))

        return replace(given, turns=tuple(changed(number, turn) for number, turn in enumerate(given.turns)))

    def _found(self, given: Conversation, text: Transcript, write: Write) -> _Found:
        own = JOINT.join([piece[0] for piece in text.pieces if piece[1] is Origin.SCAFFOLD])
        apart = JOINT.join([piece[0] for piece in text.pieces])
        tokens = len(self._tokens.findall(text))
        held = self._token(given) if tokens > len(self._tokens.findall(own)) else None
        if held is not None:
            return held
        if tokens > len(self._tokens.findall(apart)):  # neighbouring texts make one together
            return self._blamed(given, write)
        back = self._parse(text)
        names = _result_names(given)
        named = all(now in ("", was) for was, now in zip(names, _result_names(back), strict=False))
        same = named and not changes(given, back, ids=False) and self._tools_are(text, back)
        same = same or self._is_twin(given, text, back, write)
        if same and (self._sampled_are(given, text, back) or self._as_written(given, back, write)):
            return _Found(back)
        return self._blamed(given, write)

    def _token(self, given: Conversation) -> _Found | None:
        """The text that holds a token; None where none does."""
        found: list[_Found] = []

        def look(place: TextPlace, text: str) -> str:
            turn = given.turns[place.turn] if place.turn >= 0 else None
            words = self._of_answers if isinstance(turn, Assistant) else self._tokens
            match = (self._of_people if isinstance(turn, System | User) else words).search(text)
            if match and not found and not self._is_default(place, text):
                found.append(_Found(None, self._refusal(place, match[0], text), [(place, text)]))
            return text

        mapped(replace(given, tools=[tool for tool in given.tools if tool.get("type") != TEXT]), look)
        return found[0] if found else None

    def _refusal(self, place: TextPlace, marker: str, text: str) -> RenderError:
        what = (
            f"it holds `{marker}`, which is markup of `{self._spec.name}`" if marker else "it would be read otherwise"
        )
        advice = "" if place.is_name else ' (`unsafe="neutralise"` makes it harmless)'
        return RenderError(str(place), what + advice, text)

    def _is_twin(
        self,
        given: Conversation,
        text: Transcript,
        back: Conversation,
        write: Write,
    ) -> bool:
        """True when a text is read as its twin is, the words put back, whatever blanks are lost."""
        names = {call.name for turn in given.turns if isinstance(turn, Assistant) for call in turn.message.calls}
        odd = sorted((name for name in names if not name.isidentifier()), key=len, reverse=True)
        words = {name.strip(): f"zq{number}q" for number, name in enumerate(odd)}

        def mask(place: TextPlace, one: str) -> str:
            if place.what.endswith(" id"):  # some families make the ids of calls from their names
                for name in filter(None, odd):
                    one = one.replace(name, words[name.strip()])
            core = one.strip()
            return core if self._is_plain(place, one) else words.setdefault(core, f"zq{len(words)}q")

        twin = mapped(given, mask)
        try:
            wire = write(twin)
        except RenderError:
            return False
        expected = self._parse(wire)
        if len(expected.turns) != len(back.turns):
            return False
        found = re.compile("zq[0-9]+q")
        put = {word: core for core, word in words.items()}
        expected = mapped(expected, lambda _, one: found.sub(lambda match: put.get(match[0], match[0]), one))
        return not changes(compared(expected), compared(back), ids=False) and self._tools_are(text, back)

    def _sampled_are(self, given: Conversation, text: Transcript, back: Conversation) -> bool:
        """True when each answer that is written as it was sampled is read as one, or as a part of one."""
        said, at = [turn.text or "" for turn in back.turns if isinstance(turn, Assistant)], 0
        for number, turn in enumerate(given.turns):
            own = turn.text if isinstance(turn, Assistant) else None
            if own and any(one == own and of == number for one, _, of in text.pieces):
                whole = self._bare(own)
                at = next((place for place in range(at, len(said)) if whole in said[place]), len(said))
                if at == len(said):
                    return False
        return True

    def _as_written(self, given: Conversation, back: Conversation, write: Write) -> bool:
        """True when the same is read where answers are written anew, and not as they were sampled."""
        anew = [replace(turn, text=None) if isinstance(turn, Assistant) else turn for turn in given.turns]
        try:
            wire = write(replace(given, turns=anew))
        except RenderError:
            return False
        return not changes(compared(self._parse(wire)), compared(back), ids=False)

    def _bare(self, said: str) -> str:
        """The text of an answer without its end."""
        said = said.strip()  # a line may end behind the end
        return next((said[: -len(end)] for end in self._spec.end if said.endswith(end)), said).strip()

    def _is_default(self, place: TextPlace, text: str) -> bool:
        """True for the system text that the chat writes by itself."""
        return place == DEFAULT and text == self._spec.system

    def _is_plain(self, place: TextPlace, text: str) -> bool:
        """True for a text that is no markup anywhere; the words of schemas are none."""
        if place.what == SAMPLED or self._is_default(place, text):
            return True
        if place.what.endswith((" name", "argument key")):  # one with other signs is one only where it is declared
            return text.isascii() and text.isidentifier() and self._markers.search(text) is None
        plain = _IS_NAME if place.is_name else _IS_PLAIN
        return plain(text.strip()) is not None and (place.turn < 0 or self._markers.search(text) is None)

    def _tools_are(self, text: Transcript, back: Conversation) -> bool:
        """True when tools whose text is all that is read stand where they were written."""
        read = [str(tool["text"]) for tool in back.tools if tool.get("type") == TEXT]
        given = dict.fromkeys(one for one, origin, _ in text.pieces if origin is Origin.TOOLS)
        return not read or "".join(read) == "".join(given)

    def _blamed(self, given: Conversation, write: Write) -> _Found:
        """Which text breaks out: by halves, the texts that do so without the others; the likeliest one is named."""
        texts: dict[tuple[TextPlace, str], None] = {}
        mapped(given, lambda place, one: one if self._is_plain(place, one) else texts.setdefault((place, one)) or one)
        at = sorted(texts, key=lambda one: self._markers.search(one[1]) is None)
        if not at:
            return _Found(None, RenderError("conversation", f"`{self._spec.name}` would be read as another one"))
        while len(at) > 1:
            halves = at[: len(at) // 2], at[len(at) // 2 :]
            found = next((half for half in halves if self._breaks(given, half, write)), None)
            if found is None:
                break
            at = found
        place, text = at[0]
        marker = self._strong.search(text) or self._markers.search(text)
        return _Found(None, self._refusal(place, marker[0] if marker else "", text), at)

    def _breaks(self, given: Conversation, some: Container[tuple[TextPlace, str]], write: Write) -> bool:
        """True when some texts break out, the others being words."""
        one = mapped(given, lambda place, text: text if self._is_plain(place, text) or (place, text) in some else "zqq")
        try:
            text = write(one)
        except RenderError:
            return False
        return not self._is_twin(one, text, self._parse(text), write)


def split_markers(text: str, markers: re.Pattern[str]) -> str:
    """`text` with a sign without width in each of its markers."""
    return markers.sub(lambda match: match[0][:1] + SPLITTER + match[0][1:], text)


def _put(key: tuple[TextPlace, str], new: str, place: TextPlace, text: str) -> str:
    """The text of a place: a new one where it is that one."""
    return new if (place, text) == key else text


_STEPS: tuple[Callable[[str, re.Pattern[str]], str], ...] = (
    split_markers,
    lambda text, words: words.sub(lambda match: SPLITTER.join(match[0]), text),
    lambda text, _: _SIGN.sub(rf"\g<0>{SPLITTER}", text),
    lambda text, _: SPLITTER.join(text),
)
"""How a text is made harmless, step by step: in its markers, all over them, behind each sign, everywhere."""


def _result_names(given: Conversation) -> list[str]:
    return [one.name for turn in given.turns if isinstance(turn, Results) for one in turn.results]
