"""Guard against prompt injection: what was written is read back, and has to be the conversation that was given.

What it has to be is the reading of a twin, in which words stand for all texts that may be markup: with these texts put
back, both are the same. So what a chat loses of any conversation is no reason to refuse one, and no way in which a text
may break out has to be known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Sequence

from msgspec.structs import replace

from toolect._chats.answers import Answers
from toolect._chats.control_tokens import any_of
from toolect._chats.conversation_diff import calls_of, changes
from toolect._chats.given_texts import SAMPLED, TextPlace, compared, mapped
from toolect._chats.marker_scan import JOINT, Scan
from toolect._chats.prompt_tools import TEXT
from toolect._chats.slot_runs import inner_texts
from toolect._message import Content, Message, Reasoning, Status
from toolect._rendered import BreakOutError, RenderError
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
_SIGN = re.compile(rf"[^\w\s.,;!?'{SPLITTER}](?!{SPLITTER})")
"""Sign of markup or JSON: no punctuation of sentences."""
Write = Callable[[Conversation], Transcript]


Given = tuple[TextPlace, str]
"""A text of a conversation, and its place."""


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
        """`output_read` returns a result's output as it is read back."""
        self._spec, self._answers, self._parse, self._output_read = spec, answers, parse, output_read
        tokens = scan.tokens
        self._tokens = any_of(tokens)
        self._of_answers = any_of(token for token in tokens if token not in answers.texts)
        """The tokens that no text may hold, and those that no text of an answer may."""
        self._of_people = any_of(token for token in tokens if token not in spec.tokens.markup)
        """Those that neither the system nor a user may write."""
        inner = inner_texts(spec)
        self._ends = SPLITTER, *(end for end in spec.end if not any(end in text for text in inner))
        """Texts that stand within no answer."""
        self._strong = any_of(word for word in {*tokens, *scan.cores} if len(word) > 2)
        self._markers = any_of({*tokens, *scan.cores, *scan.beginnings, *answers.markers})

    def checked(
        self, given: Conversation, text: Transcript, write: Write, neutralise: bool
    ) -> tuple[Transcript, Conversation]:
        """A text that is read back as `given`, and what is read: `text`, or else one with harmless texts.

        Raises RenderError where there is none, or `neutralise` is false.
        """
        given = now = self._as_chat_has_it(given, {(one, at) for one, _, at in text.pieces})
        steps: dict[Given, int] = {}
        """Index in `_STEPS` of the step that is applied to each text."""
        was: dict[Given, Given] = {}

        def harmless(place: TextPlace, one: str) -> str:
            if (place, one) not in steps:
                return one
            step = steps[place, one]
            words = self._of_answers if place.what == SAMPLED else self._markers if step else self._strong
            new = _STEPS[step](one, words)
            was[place, new] = place, one
            return new

        for _ in range(MAX_SPLIT):
            try:
                back = self._read(now, text, write)
            except BreakOutError as error:
                texts = (was.get(one, one) for one in error.at if neutralise and not one[0].is_name)
                next_one = next((one for one in texts if steps.get(one, -1) < len(_STEPS) - 1), None)
                if next_one is None:
                    raise
                steps[next_one] = steps.get(next_one, -1) + 1
                now = mapped(given, harmless)
                text = write(now)
                continue
            defused = [Defused(place.turn, self._marker(one) or one[:40]) for place, one in steps]
            return Transcript(text.pieces, defused, text.author) if defused else text, back
        raise BreakOutError("conversation", f"more than {MAX_SPLIT} of its texts break out", str(text))

    def _marker(self, text: str) -> str:
        """The marker that a text holds; empty for none."""
        found = self._strong.search(text) or self._markers.search(text)
        return found[0] if found else ""

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

    def _read(self, given: Conversation, text: Transcript, write: Write) -> Conversation:
        """Return the conversation read back from a text, which is the one given. Raises BreakOutError."""
        self._check_tokens(given)
        apart = JOINT.join([piece[0] for piece in text.pieces])
        if len(self._tokens.findall(text)) == len(self._tokens.findall(apart)):  # neighbouring texts make none together
            back = self._parse(text)
            names = _result_names(given)
            named = all(now in ("", was) for was, now in zip(names, _result_names(back), strict=False))
            same = named and not changes(given, back, ids=False) and self._tools_are(text, back)
            same = same or self._is_twin(given, text, back, write)
            odd = self._odd_samples(given, back, write) if same else ()
            if odd:
                raise self._refusal(odd)
            if same:
                return back
        raise self._blamed(given, write)

    def _check_tokens(self, given: Conversation) -> None:
        """Raise BreakOutError for a text that holds a token."""

        def look(place: TextPlace, text: str) -> str:
            turn = given.turns[place.turn] if place.turn >= 0 else None
            words = self._of_answers if isinstance(turn, Assistant) else self._tokens
            match = (self._of_people if isinstance(turn, System | User) else words).search(text)
            if match and not self._is_default(place, text):
                raise self._refusal([(place, text)], match[0])
            return text

        mapped(given, look)

    def _refusal(self, at: Sequence[Given], marker: str = "") -> BreakOutError:
        """The error for the first of these texts, the likeliest to break out."""
        place, text = at[0]
        marker = marker or self._marker(text)
        what = (
            f"it holds `{marker}`, which is markup of `{self._spec.name}`" if marker else "it would be read otherwise"
        )
        advice = "" if place.is_name else ' (`unsafe="neutralise"` makes it harmless)'
        return BreakOutError(str(place), what + advice, text, at)

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

    def _odd_samples(self, given: Conversation, back: Conversation, write: Write) -> list[Given]:
        """The texts that were sampled, where others say something else than with words in their places, a call that is
        whole in one is lost, or one with an end in it, or made harmless, has other calls than were sampled.
        """
        found: list[Given] = []

        def word(place: TextPlace, text: str) -> str:
            if place.what != SAMPLED or not text.strip():
                return text
            found.append((place, text))
            return "zqq"

        twin = mapped(given, word)
        if not found:
            return []
        expected = self._parse(write(twin))
        if _of_others(expected) == _of_others(back):
            sampled = [given.turns[place.turn] for place, _ in found]
            now, others, own = (_runnable(turns) for turns in (back.turns, expected.turns, sampled))
            inside = any(end in text.strip()[:-1] for _, text in found for end in self._ends)
            texts = () if "calls" in self._spec.lost else (text for _, text in found)
            said = (call for text in texts for call in self._answers.read(text, back.tools).calls)
            whole = Counter(call.name for call in said if call.status is Status.OK)
            if not whole - now and (not inside or now.total() == others.total() + own.total()):
                return []
        return sorted(found, key=lambda one: self._strong.search(one[1]) is None)

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

    def _blamed(self, given: Conversation, write: Write) -> BreakOutError:
        """The error for the texts that break out without the others, found by halves; the likeliest one is named."""
        texts: dict[Given, None] = {}
        mapped(given, lambda place, one: one if self._is_plain(place, one) else texts.setdefault((place, one)) or one)
        at = sorted(texts, key=lambda one: self._markers.search(one[1]) is None)
        if not at:
            return BreakOutError("conversation", f"`{self._spec.name}` would be read as another one")
        while len(at) > 1:
            halves = at[: len(at) // 2], at[len(at) // 2 :]
            found = next((half for half in halves if self._breaks(given, half, write)), None)
            if found is None:
                break
            at = found
        return self._refusal(at)

    def _breaks(self, given: Conversation, some: Container[Given], write: Write) -> bool:
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


def _split_words(text: str, words: re.Pattern[str]) -> str:
    return words.sub(lambda match: SPLITTER.join(match[0]), text)


_STEPS: tuple[Callable[[str, re.Pattern[str]], str], ...] = (
    split_markers,
    _split_words,
    lambda text, words: _SIGN.sub(rf"\g<0>{SPLITTER}", _split_words(text, words)),
    lambda text, _: SPLITTER.join(text),
)
"""Steps that make a text harmless: in its markers, all over them, behind each sign as well, everywhere."""


def _runnable(turns: Sequence[Turn]) -> Counter[str]:
    """The names of the calls that run."""
    return Counter(call.name for call in calls_of(turns) if call.runnable)


def _of_others(given: Conversation) -> list[object]:
    """Turns of all but the model, results by their outputs."""
    others = (turn for turn in given.turns if not isinstance(turn, Assistant))
    return [[one.output for one in turn.results] if isinstance(turn, Results) else turn for turn in others]


def _result_names(given: Conversation) -> list[str]:
    return [one.name for turn in given.turns if isinstance(turn, Results) for one in turn.results]
