"""Rows as conversations: the parts of a row, read in the API that they are of."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count, takewhile
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from toolect._chats.conversation_diff import Change
from toolect._detection.guess import parse
from toolect._detection.leaks import begins_reasoning, markers
from toolect._exchange.anthropic_messages import read_anthropic
from toolect._exchange.media import placed
from toolect._exchange.openai_messages import plain_turns
from toolect._exchange.response_items import read_items
from toolect._message import Json, MessageError, Status
from toolect._objects import got
from toolect._rows.account import RowRejectedError, because
from toolect._rows.calls_and_results import weights_of
from toolect._rows.finish_reasons import SAID, check_answered, seen_in, why_cut
from toolect._rows.ignored_fields import left_out, of_blocks, of_items
from toolect._rows.open_row import OpenRow, RowReading
from toolect._rows.row_fields import Api, Speaker, TurnShape, row_kinds
from toolect._rows.row_holes import ROW, are_pairs, take_of_turn
from toolect._rows.row_parts import RowParts, as_row, parts_of
from toolect._rows.row_source import TRANSCRIPT, Source
from toolect._rows.server_answers import ServerAnswer, answers_to, of_chunks
from toolect._rows.transcript_rows import ANSWER, chat_of, declare_tools, is_prompt, read_prompt, read_transcript
from toolect._rows.turn_shapes import ShapedTurns, calls_in, messages_of_steps, shaped_turns
from toolect._turns import Assistant, Turn
from toolect.conversation import Conversation
from toolect.registry import AUTO

NOT_ASKED = "an answer to nothing: no column says what was asked"
IS_PROMPT = "a question is the prompt of a model, with turns of its own: it is read as what a user says"
REJECTED = "the rejected side"
NOT_PLACED = "columns hold more or fewer media than texts have places: both stay as they are"


def readings(row: Json, source: Source) -> list[RowReading]:
    """The conversations that a row tells; only logs and traces have several. Raises RowRejectedError.

    Unless the source says what calls in texts are in, texts that have calls in another dialect are read in any.
    """
    found_out = source.dialect is None or source.guessed
    try:
        found = _readings(row, source)
    except RowRejectedError:
        if not found_out:
            raise
        try:  # results make no sense before the calls in the texts are read
            found = _readings(row, replace(source, dialect=AUTO, guessed=False))
        except RowRejectedError:
            found = []
        if not found:
            raise
    else:
        if found_out and source.dialect != AUTO and any(map(_misses_calls, found)):
            found = _readings(row, replace(source, dialect=AUTO, guessed=True), own=False)
    if found_out or source.dialect:
        for reading in found:
            _check_calls(reading)
    return found


def _check_calls(reading: RowReading) -> None:
    """Raises RowRejectedError for an answer that begins as a call of a declared tool does, and was read as content."""
    tools = reading.conversation.tools
    begins = _calls_of(_names(tools)).begins if tools else None
    for number, turn in _answers_of(reading):
        if begins and not turn.message.calls and begins(turn.message.content):
            raise RowRejectedError(Change("a call in a text could not be read", number, turn.message.content[:60]))


def _readings(row: Json, source: Source, own: bool = True) -> list[RowReading]:
    """The conversations of a row; with `own` the dialect of its kind comes before one that was found out."""
    row_kinds(source.files)  # what is wrong with them is wrong with no row
    columns = as_row(row, source)
    try:
        if source.kind == TRANSCRIPT:
            return [read_transcript(columns, source)]
        columns = joined(columns, source)
        parts = parts_of(columns, source)
        if not source.kind and (name := chat_of(parts[0], source.chat)):
            return [read_transcript(columns, replace(source, chat=name))]
        if isinstance(row, str) and not source.kind and parts[0].name == ANSWER:
            raise RowRejectedError(Change("no object", detail="expected an object as a row, got a text"))
        found = [
            reading
            for one in parts
            for reading in _RowReader(columns, one, _of_kind(one, source) if own else source).read()
        ]
    except (ValueError, RecursionError, OverflowError) as error:  # no conversation, or nested or numbers without end
        raise RowRejectedError(because(error)) from None
    if not any(reading.conversation.turns for reading in found):
        raise RowRejectedError(Change("no turns", detail="expected turns in a row, got none"))
    return found


def _of_kind(parts: RowParts, source: Source) -> Source:
    """The source with the dialect of the row's kind, unless one is given."""
    own = parts.kind.fields.dialect
    return replace(source, dialect=own, guessed=False) if own and (source.dialect is None or source.guessed) else source


def _misses_calls(reading: RowReading) -> bool:
    """True where the text of an answer without calls has some that could be run, or one begins with reasoning."""
    tools = reading.conversation.tools
    calls = _calls_of(_names(tools)) if tools else None
    known = markers()
    for _, turn in _answers_of(reading):
        text = turn.message.content
        if begins_reasoning(text) and parse(text[:LONGEST]).content != text[:LONGEST]:
            return True
        if turn.message.calls:
            continue
        marker = next(known.finditer(text)) if known.within(text) else None
        at = marker.start() if marker else calls.first(text) if calls else None
        if at is not None:
            near = text[max(at - BEFORE, 0) : at + LONGEST]
            cut = at + LONGEST < len(text)  # so a call that ends behind it is read as a truncated one
            calls_near = parse(near, [*tools] or None).calls
            if any(call.runnable or cut and call.status is Status.TRUNCATED for call in calls_near):
                return True
    return False


def _pair(better: RowReading, worse: RowReading) -> RowReading:
    """The reading of a pair; notes and changes of the rejected side alone are marked as of that."""
    notes, left = (
        [one._replace(detail=f"{REJECTED}: {one.detail}".removesuffix(": ")) for one in there if one not in here]
        for here, there in ((better.notes, worse.notes), (better.changes, worse.changes))
    )
    return better._replace(rejected=worse.conversation, notes=(*better.notes, *notes), changes=(*better.changes, *left))


def _answers_of(reading: RowReading) -> list[tuple[int, Assistant]]:
    """The answers of a row with their numbers, those of the other side of a pair, too."""
    sides = filter(None, (reading.conversation, reading.rejected))
    return [(at, turn) for one in sides for at, turn in enumerate(one.turns) if type(turn) is Assistant]


def _names(tools: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple([tool["function"]["name"] for tool in tools])


BEFORE, LONGEST = 200, 8_000
"""Characters of a text that are searched for a call, before and behind the place where one may begin."""


@lru_cache(64)
def _calls_of(names: tuple[str, ...]) -> _NamedCalls:
    return _NamedCalls(names)


class _NamedCalls:
    """Finds the names of tools as calls have them: between quotes or in a tag, before a bracket, after a label."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._each = [(name, _as_calls_have(re.escape(name))) for name in names]
        each = "|".join(map(re.escape, names))
        self.begins = re.compile(rf"\s*\[?\s*(?:{each})\(").match
        """Matches an answer that begins with a call as code."""

    def first(self, text: str) -> int | None:
        """Start offset of the first call; None without one. Names that are not in the text at all take no time."""
        found = [match.start() for name, search in self._each if name in text and (match := search(text)) is not None]
        return min(found, default=None)


def _as_calls_have(name: str) -> Callable[[str], re.Match[str] | None]:
    before = rf"(?:(?<=[\"'`=]{name})[\"'`>]|(?<=\b{name})\(|(?<=<{name})[ >])"
    return re.compile(rf"{name}{before}|Action:\s*{name}\b").search


class _RowReader:
    """Reads the parts of one row."""

    def __init__(self, row: Mapping[str, Json], parts: RowParts, source: Source) -> None:
        self.row, self.parts, self.source = row, parts, source
        self.shape: TurnShape = parts.kind.shape
        self.open = OpenRow(row, source, parts.columns, source.dialect or "", self.shape)
        for given in parts.holes.get("tools", ()):
            self.open.declare(given)
        self.open.changes += left_out([parts.left])
        self._system = [*parts.holes.get("system", ())]
        self._ends: list[Json] = []
        """Finish reasons of the turns that were read last."""

    def read(self) -> Iterator[RowReading]:
        """A conversation for each answer, or the one that there is."""
        parts, fields = self.parts, self.parts.kind.fields
        if fields.join:
            raise MessageError(
                "the request beside its answer",
                "the answer alone",
                fields.join,
                "name the file of requests with --join",
            )
        if "failure" in parts.holes:
            raise MessageError("an answer", f"an error, `{_words(parts.one('failure'))}`", parts.names["failure"])
        if (plain := self._plain()) is not None:
            yield self._reading(plain)
            return
        where = parts.names.get("turns", "messages")
        before = self._before(where)
        if "rejected" in parts.holes:
            if "chosen" in parts.holes:
                better, worse = (self._side(before, hole) for hole in ("chosen", "rejected"))
            else:  # the better answer is the last turn
                better, worse = self._turns(before, None, where), self._side(before[:-1], "rejected")
            yield _pair(self._reading(better), self._reading(worse))
            return
        for answer in self._answers():
            self.open.seen = []
            if answer is not None and _is_last(answer.messages, before):
                answer = None
            turns = self._turns([] if answer and _repeats(answer.messages, before) else before, answer, where)
            if answer is not None:
                self.open.seen = seen_in(turns, answer.cut)
            yield self._reading(turns)

    def _plain(self) -> Sequence[Turn] | None:
        """The turns of a row that is nothing but plain messages and tools; None for any other."""
        holes, shape = self.parts.holes, self.shape
        if self.open.dialect or shape.each or shape.fields.api is not Api.OPENAI or not holes.keys() <= _PLAIN:
            return None
        given = holes.get("turns", ())
        turns = (self.parts.plain.get(self.parts.names["turns"]) or plain_turns(given[0])) if len(given) == 1 else None
        return None if turns is None or any(map(_are_answers, turns, turns[1:])) else turns

    def _reading(self, turns: Sequence[Turn]) -> RowReading:
        turns, odd = placed(turns, self.row)
        self.open.notes += (Change(NOT_PLACED, detail=one) for one in odd)
        found = self.open.conversation(self.open.without_tool_prompt(self.open.declared(turns)))
        wanted = not any(self.row.get(name) is False for name in _LABELS)
        return found._replace(kind=self.parts.name, wanted=wanted)

    # What was asked

    def _before(self, where: str) -> list[Json]:
        """The messages before the answer: turns, or a question with its history and its context."""
        parts = self.parts
        if "transcript" in parts.holes:
            return self._split(parts.one("transcript"), parts.names["transcript"])
        messages: list[Json] = []
        for pairs in parts.holes.get("before", ()):
            if are_pairs(pairs):
                roles = ("user", "assistant")
                messages += (
                    {"role": role, "content": text} for pair in pairs for role, text in zip(roles, pair, strict=True)
                )
            else:
                messages += self._shaped(pairs, parts.names["before"])
        question = parts.one("question")
        if question is None and not parts.holes.keys() & {"before", "turns", "items"}:
            question = parts.one("about")
        if isinstance(question, str) and parts.kind.fields.split:
            messages += self._split(question, parts.names["question"])
            if messages[-1] == {"role": "assistant", "content": ""}:  # what begins the answer
                messages.pop()
        elif isinstance(question, list | Mapping):
            messages += self._shaped(question if isinstance(question, list) else [question], parts.names["question"])
        elif question is not None:
            is_open = is_prompt(question, self.shape.roles)
            prompt = read_prompt(question) if is_open and parts.one("about") is None and not messages else None
            if prompt is not None:
                declare_tools(self.open, prompt)
                messages += Conversation(prompt.turns).to_openai()["messages"]
            else:
                if is_open:
                    self.open.notes.append(Change(IS_PROMPT, detail=question[-60:]))
                messages.append({"role": "user", "content": self._with_what(question)})
        for hole in ("turns", "items"):
            for turns in parts.holes.get(hole, ()):
                if not (hole == "items" and question is not None):
                    messages += self._shaped(turns, parts.names.get(hole, where))
        return messages

    def _with_what(self, question: str) -> str:
        """A question and, below it, its context, as the templates of such rows have it."""
        about = self.parts.one("about")
        if about is None:
            return question
        if not isinstance(about, str):
            raise MessageError("a text", got(about), self.parts.names["about"])
        return f"{question}\n\n{about}" if about.strip() and about != question else question

    def _shaped(self, turns: Json, where: str) -> list[Json]:
        if self.shape.fields.api is Api.STEPS:
            return messages_of_steps(self.open, turns, where)
        found: ShapedTurns = shaped_turns(turns, self.shape, where)
        self._system += found.system
        self._ends = found.ends
        self.open.changes += left_out(found.left)
        for tools in found.tools:
            self.open.declare(tools)
        return found.messages

    def _split(self, text: str, column: str) -> list[Json]:
        """The messages of a text in which words begin each turn."""
        fields = self.parts.kind.fields
        words = fields.split
        begins = re.compile(rf"(?:\A|\n+|(?=\W))({'|'.join(map(re.escape, filter(None, words)))})")
        found = [*begins.finditer(text)]
        head = text[: found[0].start()].strip() if found else text
        if not found or head and "" not in words:
            raise MessageError(
                f"a text that begins with {' or '.join(map(repr, words))}",
                "another one",
                column,
            )
        turns: list[Json] = [{"role": words[""].value, "content": head}] if head else []
        for begin, end in zip(found, [*(one.start() for one in found[1:]), len(text)], strict=True):
            said = text[begin.end() : end].strip()
            for token in self.parts.kind.fields.ends:
                said = said.removesuffix(token).rstrip()
            where = f"{column}[{len(turns)}]"
            content, call, rest = said.partition(fields.call) if fields.call else (said, "", "")
            if words[begin[1]] == Speaker.USER and turns and turns[-1]["role"] == "user":
                turns[-1]["content"] += f"\n\n{said}"  # what an instruction is about stands below it
            elif call and words[begin[1]] == Speaker.ASSISTANT:
                turns.append({"role": "assistant", "content": content.rstrip(), "tool_calls": calls_in(rest, where)})
            else:
                turns.append({"role": words[begin[1]].value, "content": said})
        return turns

    # Answers

    def _answers(self) -> list[ServerAnswer | None]:
        """The answers that a row has besides its turns; None where these are all."""
        parts = self.parts
        name = parts.names.get("response", "response")
        if "response" in parts.holes:
            response = parts.one("response")
            if name == "choices":
                response = {"choices": response}
            return [*answers_to(response, name, self._own_answers, self.open.tools.tools)]
        if "calls" in parts.holes:
            return [ServerAnswer("openai", [{"role": "assistant", "tool_calls": parts.one("calls")}])]
        if "answer" in parts.holes or "text" in parts.holes:
            hole = "answer" if "answer" in parts.holes else "text"
            if not parts.holes.keys() & {"question", "before", "turns", "items", "transcript"}:
                self.open.notes.append(Change(NOT_ASKED))
            return [self._answer(said, parts.names[hole]) for said in parts.holes[hole]]
        if "steps" in parts.holes:
            messages = self._before("messages")
            if any(isinstance(one, Mapping) and one.get("role") == "assistant" for one in messages):
                return [None]
            return [ServerAnswer("openai", messages_of_steps(self.open, parts.one("steps"), parts.names["steps"]))]
        if "items" in parts.holes and "question" in parts.holes:
            return [ServerAnswer("", self._shaped(parts.one("items"), parts.names["items"]))]
        if self.shape.fields.api is Api.RESPONSES and "output" in self.row and not self.row["output"]:
            check_answered(self.row, "output")
        return [None]

    def _answer(self, said: Json, where: str) -> ServerAnswer:
        said = ROW["answer"].takes(said)
        if isinstance(said, str):
            thought = self.parts.one("reasoning")
            own = {} if thought is None or thought.strip() in said else {"reasoning_content": thought}
            if own and begins_reasoning(said):
                raise MessageError("reasoning in one place", "another one in the answer", self.parts.names["reasoning"])
            text = said.strip() if self.parts.kind.fields.split else said
            return ServerAnswer("openai", [{"role": "assistant", "content": text, **own}])
        listed = said if isinstance(said, list) else [said]
        if self.shape.fields.api is Api.OPENAI and not self.shape.each:
            listed = [
                one if not isinstance(one, Mapping) or "role" in one or "from" in one else {"role": "assistant", **one}
                for one in listed
            ]
        messages = self._shaped(listed, where)
        return ServerAnswer("", messages, why_cut(*self._ends[-1:]))

    def _own_answers(self, body: Json) -> list[ServerAnswer]:
        """The answers in a response of the request's own API, if the shape of its turns has a pattern for responses."""
        pattern = self.shape.response
        bodies = body if isinstance(body, list) else [body]
        fitted = [pattern.fit(one, take_of_turn) for one in bodies] if pattern is not None and bodies else [None]
        if fitted[0] is None:
            return []
        found: list[ServerAnswer] = []
        deltas: list[Json] = []
        calls = count()
        for holes in filter(None, fitted):
            ends = holes.get("end", [])
            own = {_FIELDS[hole]: values[0] for hole, values in holes.items() if hole in _FIELDS}
            for index, message in enumerate(holes.get("message") or [own][: len(ends)]):
                end = ends[index] if index < len(ends) else None
                end = end.lower() if isinstance(end, str) else end
                said = self._shaped([{"role": Speaker.ASSISTANT.value, **message}], "response") if message else []
                found.append(ServerAnswer("", said, why_cut(end)))
                for one in said or [{}]:
                    made = [{**call, "index": next(calls)} for call in one.get("tool_calls") or ()]
                    deltas.append({"index": index, "delta": {**one, "tool_calls": made}, "finish_reason": end})
        if isinstance(body, list):  # each has what is new
            return of_chunks([{"choices": deltas}], self.open.tools.tools)
        return [one for one in found if one.messages]

    def _side(self, before: list[Json], hole: str) -> Sequence[Turn]:
        """The turns of one side of a pair: an answer to the messages before, or a conversation of its own."""
        said, where = self.parts.one(hole), self.parts.names[hole]
        split = isinstance(said, str) and not before and bool(self.parts.kind.fields.split)
        if isinstance(said, str) and not before and not split:
            raise MessageError("a prompt beside the texts of a pair", "none", where)
        answer = ServerAnswer("openai", self._split(said, where)) if split else self._answer(said, where)
        asked = [
            *takewhile(lambda one: not isinstance(one, Mapping) or one.get("role") != "assistant", answer.messages)
        ]
        first = next((one for one in before if not isinstance(one, Mapping) or one.get("role") != "system"), None)
        repeated = bool(asked) and _said_by(first) in map(_said_by, answer.messages)  # a whole conversation
        if first is not None and not repeated and any(map(_is_asked, asked)):
            raise MessageError("answers to the prompt of a pair", "a conversation without that", where)
        last = before[-1] if before and not (repeated or asked) else None
        if isinstance(last, Mapping) and last.get("role") == "assistant":
            column = self.parts.names.get("turns", where)
            raise MessageError("a question before the answers of a pair", "an answer", column)
        return self._turns([] if repeated else before, answer, where)

    # Turns

    def _turns(self, before: list[Json], answer: ServerAnswer | None, where: str) -> Sequence[Turn]:
        api = self.shape.fields.api.value.replace("steps", "openai")
        if answer is None or answer.api in ("", api):
            return self._of_api(api, [*before, *(answer.messages if answer else ())], True, where)
        turns = [*self._of_api(api, before, True, where)] if before or self._system else []
        return (*turns, *self._of_api(answer.api, answer.messages, False, "response"))

    def _of_api(self, api: str, messages: list[Json], with_system: bool, where: str) -> Sequence[Turn]:
        system = _system_text(self._system) if with_system else ""
        for word, speaker in self.parts.kind.fields.split.items():
            if speaker.value == "system":
                system = system.removeprefix(word)
        if api == Api.ANTHROPIC:
            self.open.weights = weights_of(messages)
            self.open.beside = left_out(of_blocks(one, self.shape.fields.ignore) for one in messages)
            return read_anthropic(messages, system or None)
        if api == Api.RESPONSES:
            self.open.beside = of_items(messages)
            return read_items(messages, system or None)
        roles = ("system", "developer")
        own = [one.get("content") for one in messages if isinstance(one, Mapping) and one.get("role") in roles]
        if own and system.strip() and not any(text.strip() == system.strip() for text in own if isinstance(text, str)):
            raise MessageError(
                "one text of the system", "another one in the messages", self.parts.names.get("system", "")
            )
        return self.open.turns(messages, where, "" if own else system)


def _repeats(messages: list[Json], before: list[Json]) -> bool:
    """True for messages that begin with all those `before`."""
    first = [*map(_said_by, before)]
    return bool(first) and [*map(_said_by, messages[: len(first)])] == first


def _is_last(messages: list[Json], before: list[Json]) -> bool:
    """True for an answer that is also the last of the messages `before`."""
    both = (messages, before[-1:])
    if not all(len(one) == 1 and isinstance(one[0], Mapping) and one[0].get("role") == "assistant" for one in both):
        return False
    one, other = ({name: value for name, value in each[0].items() if name in SAID and value} for each in both)
    return one == other


_FIELDS = {"text": "content", "reasoning": "reasoning_content"}
"""The fields of a message that the holes of a response are."""
_LABELS = ("label", "kto_tag")
"""The columns that say whether an answer is wanted, as KTO has it in TRL and LLaMA-Factory."""
_PLAIN = frozenset(("turns", "tools"))
"""The holes of rows that say nothing but messages and tools."""


def _are_answers(one: Turn, other: Turn) -> bool:
    """True for two answers: they may be parts of one."""
    return type(one) is type(other) is Assistant


def _is_asked(message: Json) -> bool:
    """True for a message of the user."""
    return isinstance(message, Mapping) and message.get("role") == "user"


def _said_by(message: Json) -> Json:
    """Role and text of a message."""
    if not isinstance(message, Mapping):
        return message
    text = message.get("content")
    return message.get("role"), text.strip() if isinstance(text, str) else text


def _words(value: Json) -> str:
    if isinstance(value, Mapping):
        inside = value.get("error") or value.get("message") or value.get("type")
        return _words(inside) if inside else "unknown"
    return str(value)[:200]


def _system_text(values: Sequence[Json]) -> str:
    """The text of a system, which may be parts."""
    texts = []
    for value in values:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping) and "parts" in one:
                texts.append(_system_text([one["parts"]]))
                continue
            text = (
                next((one[key] for key in ("text", "content") if key in one), None) if isinstance(one, Mapping) else one
            )
            if not isinstance(text, str):
                raise MessageError("a system text", got(text), "system")
            texts.append(text)
    return "\n\n".join(texts) if len(values) > 1 else "".join(texts)


# Rows whose other half stands in another file: answers of a batch, and the requests that they are to


def joined(row: Mapping[str, Json], source: Source) -> Mapping[str, Json]:
    """A row with the columns of its other half; the same object where it needs none. Raises MessageError."""
    if not source.join:
        return row
    kind = next((kind for kind in row_kinds(source.files).kinds if kind.fields.join and kind.fit(row)), None)
    if kind is None:
        return row
    key = row.get(kind.fields.join)
    at = _places(source.join, kind.fields.join).get(str(key))
    if at is None:
        raise MessageError("a request in the file of --join", f"none of `{key}`", kind.fields.join)
    with open(source.join, "rb") as file:
        file.seek(at)
        return {**json.loads(file.readline()), **{name: value for name, value in row.items() if value is not None}}


@lru_cache(2)
def _places(path: str, column: str) -> dict[str, int]:
    """Byte offset of the line of each key; lines that are no rows are skipped. Raises OSError."""
    found: dict[str, int] = {}
    at = 0
    with Path(path).open("rb") as file:
        for line in file:
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if isinstance(row, dict) and row.get(column) is not None:
                found.setdefault(str(row[column]), at)
            at += len(line)
    return found
