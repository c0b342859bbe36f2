"""Messages as turns where calls and results may stand in texts: in a dialect, in elements, in lists of JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite, nan

from toolect._exchange.embedded_tools import element_results, one_each
from toolect._exchange.gathering import Gathering, text_of
from toolect._exchange.media import read_parts
from toolect._exchange.openai_messages import read_answer
from toolect._message import Call, Content, Json, Message, MessageError, Reasoning, Segment, dumps
from toolect._objects import Object, as_list, as_object, as_text, field, got, word
from toolect._rows.patterns import Pattern, opened
from toolect._rows.row_holes import take_of_turn
from toolect._turns import Assistant, Results, System, ToolResult, Turn, User

_ROLES = "a role: system, developer, user, assistant or tool"
_ELEMENT = r"<(tool_responses?|function_responses?|tool_results?|function_results?|tool_outputs?|observations?)>"
_INSIDE = re.compile(rf"{_ELEMENT}(.*?)</\1>", re.DOTALL)
"""Results in the text of an answer, which goes on behind them."""
BEGINS = re.compile(rf"\s*{_ELEMENT}")
"""A text of a tool that is results in elements; any other element is a result itself."""


class CallTextReader:
    """Reads messages whose answers are read by `spoken`; the user's texts that begin as `results` are results."""

    def __init__(
        self, spoken: Callable[[str], Message] | None, results: Sequence[str] = (), result: Sequence[Pattern] = ()
    ) -> None:
        """`result` are the patterns of a result in a text of the tool, which may be a list of such."""
        self._spoken, self._results, self._result = spoken, results, result
        self._into = Gathering()

    def turns(self, messages: Object, where: str, system: str = "") -> tuple[Turn, ...]:
        """The turns that messages say, after a text of the system. Raises MessageError."""
        if system:
            self._into.add(System(system))
        listed = as_list(messages, where, "a list of messages")
        results = [isinstance(one, Mapping) and one.get("role") in ("tool", "function") for one in listed]
        for number, message in enumerate(listed):
            alone = not any((*results[max(number - 1, 0) : number], *results[number + 1 : number + 2]))
            self._read(message, f"{where}[{number}]", alone)
        return self._into.done()

    def _read(self, message: Object, where: str, alone: bool) -> None:
        into = self._into
        role, content = field(as_object(message, where, "a message"), "role"), field(message, "content")
        match role:
            case "system" | "developer":
                into.add(System(text_of(content, f"{where}.content"), role == "developer"))
            case "user":
                found = self._of_user(content) if into.open else []
                for one in found:
                    into.result(one, where)
                if not found:
                    into.add(User(*read_parts(content, f"{where}.content")))
            case "assistant":
                for turn in self._answers(message, where):
                    if isinstance(turn, Results):
                        for one in turn.results:
                            into.result(one, where)
                    else:
                        into.add(turn)
            case "tool" | "function":
                call_id = as_text(field(message, "tool_call_id"), f"{where}.tool_call_id")
                name = as_text(field(message, "name") or field(message, "tool_name"), f"{where}.name")
                text, media = read_parts(content, f"{where}.content")
                elements = element_results(text) if BEGINS.match(text) else self._listed(text)
                texts = one_each(text, into.open) if alone and not (elements or call_id) else [text]
                failed = field(message, "is_error") is True
                for one in elements or [ToolResult(call_id, name, one, failed, media=media) for one in texts]:
                    into.result(one, where)
            case _:
                raise MessageError(_ROLES, word(role), f"{where}.role")

    def _listed(self, text: str) -> list[ToolResult]:
        """The results that a text has as they are written in JSON, one or a list; nothing for any other text."""
        if not self._result:
            return []
        items = opened(text)
        found = []
        for item in items if isinstance(items, list) else [text]:
            fitting = (holes for one in self._result if (holes := one.fit(item, take_of_turn)) is not None)
            holes = next(fitting, {})
            if "output" not in holes:
                return []
            output, name, of = (holes.get(hole, [""])[0] for hole in ("output", "name", "of"))
            found.append(ToolResult(str(of), str(name), output if isinstance(output, str) else dumps(output)))
        return found

    def _of_user(self, content: Json) -> list[ToolResult]:
        """The results in a text of the user after calls."""
        if not isinstance(content, str):
            return []
        for begin in self._results:
            if begin.startswith("<") and (found := element_results(content, begin.strip("<>"))):
                return found
            if not begin.startswith("<") and content.startswith(begin):
                return [ToolResult("", "", content[len(begin) :])]
        return []

    def _answers(self, message: Object, where: str) -> Iterator[Turn]:
        """Turns of an assistant message; one without calls may have them, and their results, in its text."""
        said = read_answer(message, where)
        if self._spoken is None:
            yield Assistant(said)
            return
        if any(isinstance(one, Call) for one in said.segments):
            read = said if said.reasoning else self._read_in(said)
            yield Assistant(read if read.reasoning and len(read.calls) == len(said.calls) else said)
            return
        texts = [one.text for one in said.segments if isinstance(one, Content)]
        if len(texts) == 1 and _INSIDE.search(texts[0]):
            yield from self._with_results(said, texts[0])
            return
        yield Assistant(self._read_in(said))

    def _read_in(self, said: Message) -> Message:
        segments: list[Segment] = []
        repairs = said.repairs
        for segment in said.segments:
            read = self._spoken(segment.text) if isinstance(segment, Content) and self._spoken else Message([segment])
            more, before = [*read.segments], segments[-1] if segments else None
            if more and isinstance(before, Reasoning) and isinstance(first := more[0], Reasoning):
                same = first.text.strip() == before.text.strip()  # in a field of the message, too
                more[:1] = [] if same else [Reasoning(f"\n\n{first.text}")]
            segments += more
            repairs += read.repairs
        return Message(segments, repairs)

    def _with_results(self, said: Message, text: str) -> Iterator[Turn]:
        """The answers and results in a text, where each result follows a call; else the text is one answer."""
        before = [one for one in said.segments if not isinstance(one, Content)]
        turns: list[Turn] = []
        at, end, calls = 0, 0, 0
        for found in _INSIDE.finditer(text):
            if text[at : found.start()].strip():
                answer = self._read_in(Message([*before, Content(text[at : found.start()].strip())]))
                calls, before = len(answer.calls), []
                turns.append(Assistant(answer))
            if not calls:
                yield Assistant(self._read_in(said))
                return
            results = element_results(found[0]) or [ToolResult("", "", found[2].strip())]
            calls -= len(results)
            turns.append(Results(tuple(results)))
            at = end = found.end()
        if rest := text[end:].strip():
            turns.append(Assistant(self._read_in(Message([Content(rest)]))))
        yield from turns


def weights_of(messages: Sequence[Json]) -> dict[int, float]:
    """The weights of answers, by their numbers among the answers: a `weight`, or `loss` or `train` that are false."""
    found: dict[int, float] = {}
    answers = (one for one in messages if isinstance(one, Mapping) and one.get("role") == "assistant")
    for number, one in enumerate(answers):
        name = next((key for key in WEIGHTS if one.get(key) is not None), None)
        if name is not None:
            found[number] = _weight(one[name], name)
    return found if any(weight != 1 for weight in found.values()) else {}


def _weight(given: Json, name: str) -> float:
    """A weight, also as the text of one. Raises MessageError for anything else."""
    word = given.strip().lower() if isinstance(given, str) else given
    try:
        weight = {"true": 1.0, "false": 0.0}[word] if word in ("true", "false") else float(word)
    except (TypeError, ValueError, OverflowError):
        weight = nan
    if not isfinite(weight):
        raise MessageError("a number, true or false", got(given), name)
    return weight


WEIGHTS = ("weight", "loss", "train", "training")
"""The fields of an answer for its weight in training: a number, or true or false."""
