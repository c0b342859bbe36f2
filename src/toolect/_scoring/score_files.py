"""Expectations and answers in files, joined by their ids: data of BFCL, rows of conversations, `{text, expected}`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from toolect._corpora.records import Bad, tools_of
from toolect._corpora.sources import SourceError, files, units
from toolect._corpora.value_kinds import Cursor, values
from toolect._message import Json, Message, MessageError
from toolect._scoring.expectation import Expectation, ExpectedCall, expected_calls, shown
from toolect._turns import Assistant
from toolect.data import read

TEXTS = ("text", "completion", "output", "response", "result", "answer", "answers", "message", "choices")
"""The columns that may hold answers, in the order in which they are looked for."""
CONVERSATIONS = ("messages", "conversations", "conversation")
LANGUAGES = ("java", "javascript")
NO_ROWS = 3
"""Lines that are no JSON at the beginning of a file that has no rows."""
_TRUTHS = "possible_answer"
"""The folder of BFCL's expected calls, beside the files of its questions."""
_NUMBER = re.compile(r"_\d+(?:-[^_]*)?\Z")
"""End of an id of BFCL, behind the category."""

GivenAnswer: TypeAlias = str | Message | None
"""The text of a model, an answer whose calls are given as such, or none."""
AnswerAt: TypeAlias = tuple[str, Expectation, GivenAnswer]
"""An answer with its case and its place, or an expectation without an answer."""


class ExpectedRow(NamedTuple):
    """The cases that one row expects of a model, and the answers that it has itself."""

    where: str
    cases: tuple[Expectation, ...]
    answers: tuple[GivenAnswer, ...] | None = None


class ExpectationFiles:
    """The cases in a file or a folder, by the ids of their rows, or by their numbers where no row has one.

    `troubles` are rows that cannot be used, with the reason; `skipped` counts cases that are not scored, by the reason.
    Raises SourceError where there is no file.
    """

    def __init__(self, path: str, tools: Sequence[Json] = (), max_bytes: int = 64 << 20) -> None:
        self.entries: dict[str, ExpectedRow] = {}
        self.troubles: list[tuple[str, str]] = []
        self.skipped: Counter[str] = Counter()
        self._tools, self._max_bytes, self._named = tuple(tools), max_bytes, False
        self._rows: dict[str, tuple[str, dict[str, Json]]] = {}
        self._number = 0  # of the row that is read, whatever it holds
        for file in _with_truths(path):
            self._each(file, self._read)
        for key, (where, row) in self._rows.items():
            self._tried(where, partial(self._enter, key), row)
        self._rows.clear()

    def answered(self, paths: Iterable[str]) -> Iterator[AnswerAt]:
        """Each case once, with the answer in the files or folders, or without any with that which its row has.

        A case without an answer is left out where no case of its category has one.
        """
        found: dict[str, tuple[str, tuple[GivenAnswer, ...]]] = {}
        named = self._named

        def keep(where: str, row: Json) -> None:
            key = self._key(row)
            if self._named and not named:
                self._named = False
                raise MessageError("no id, as no expectation has one", f"`{key}`", "id")
            if key not in self.entries:
                raise MessageError("the id of an expectation", f"`{key}`", "id")
            if key in found:
                raise MessageError("one answer to a row", f"another in {found[key][0]}", "id")
            found[key] = where, tuple(_answers(row))

        paths, self._number = list(paths), 0
        for file in files(paths):
            self._each(file, keep)
        if not paths:
            found = {key: (one.where, one.answers) for key, one in self.entries.items() if one.answers is not None}
        there = {self.entries[key].cases[0].category for key in found}
        for key, entry in self.entries.items():
            category = entry.cases[0].category
            if key in found:
                yield from self._paired(entry, *found[key])
            elif category in there:
                yield from ((entry.where, case, None) for case in entry.cases)
            else:
                self.skipped[f"{category}: no answers".removeprefix(": ")] += len(entry.cases)

    def _paired(self, entry: ExpectedRow, where: str, answers: tuple[GivenAnswer, ...]) -> Iterator[AnswerAt]:
        """The cases with their answers; a single one is that to the only turn that calls."""
        cases = entry.cases
        if len(answers) == 1 < len(cases):
            cases = tuple(case for case in cases if case.calls)
        if len(answers) != len(cases):
            what = f"expected an answer to each turn of `{cases[0].id}`, got {len(answers)} for {len(entry.cases)}"
            self.troubles.append((where, what))
            cases, answers = entry.cases, (None,) * len(entry.cases)
        yield from ((where, case, answer) for case, answer in zip(cases, answers, strict=True))

    def _each(self, path: str, do: Callable[[str, Json], None]) -> None:
        """Does something with each row of a file and its place; what cannot be used is kept as trouble."""
        before = bad = 0
        for unit in units(path, self._max_bytes, lines=True):
            cursor = Cursor()
            for value in values(unit, cursor, "", "", self._max_bytes, whole=True):
                where = f"{path}:{before + cursor.number}"
                self._number += 1
                if not isinstance(value, Bad):
                    self._tried(where, do, value)
                    continue
                bad += 1
                self.troubles.append((where, value.why))
                if bad == before + cursor.number == NO_ROWS:
                    self.troubles.append((where, "expected rows, one a line: the rest of the file is left out"))
                    return
            before += cursor.number

    def _tried(self, where: str, do: Callable[[str, Json], None], row: Json) -> None:
        try:
            do(where, row)
        except RecursionError:
            self.troubles.append((where, "expected values that are nested less deeply"))
        except ValueError as error:
            self.troubles.append((where, str(error)))

    def _read(self, where: str, row: Json) -> None:
        """Keep a row; of BFCL a question is joined with what is right."""
        key = self._key(row)
        if key in self._rows:
            first, known = self._rows[key]
            if {"ground_truth" in known, "ground_truth" in row} != {True, False}:
                raise MessageError("one row of an id", f"`{key}` again, as in {first}", "id")
            row, where = known | row, first
        self._rows[key] = where, row

    def _key(self, row: Json) -> str:
        if not isinstance(row, dict):
            raise MessageError("a row as object", shown(row), "$")
        key = row.get("id")
        if key is None and not self._named:
            return str(self._number)
        if not isinstance(key, str | int) or isinstance(key, bool):
            raise MessageError("an id, as other rows have one", shown(key) if "id" in row else "nothing", "id")
        self._named = True
        return str(key)

    def _enter(self, key: str, where: str, row: dict[str, Json]) -> None:
        """Keep the cases of a row."""
        category = row["category"] if isinstance(row.get("category"), str) else ""
        name = "expected" if "expected" in row else "ground_truth"
        if "function" in row or "ground_truth" in row:
            category = category or _NUMBER.sub("", key)
        truth = row.get(name)
        if truth is None and "relevance" in category:
            truth = [] if "irrelevance" in category else "any"
        if isinstance(truth, list) and any(isinstance(one, str | list) for one in truth):
            self.skipped[f"{category}: not given as calls".removeprefix(": ")] += 1
            return
        declared = next((row[name] for name in ("function", "tools") if row.get(name) is not None), None)
        tools = self._tools if declared is None else tools_of(declared)
        language = row.get("language", category.rpartition("_")[2])
        turns: list[tuple[ExpectedCall, ...] | None] = []
        if truth is not None:
            turns.append(None if truth == "any" else expected_calls(truth, name))
        elif not row.keys().isdisjoint(CONVERSATIONS):
            found = read(row)
            tools = tuple(found.tools) or tools
            turns += [expected_calls(turn.message) for turn in found.turns if isinstance(turn, Assistant)]
        if not turns:
            raise MessageError("`expected`, `ground_truth`, or `messages` with an answer", _there(row), "$")
        language = language if language in LANGUAGES else ""
        cases = tuple(Expectation(calls, tools, key, category, language) for calls in turns)
        self.entries[key] = ExpectedRow(where, cases, None if row.keys().isdisjoint(TEXTS) else tuple(_answers(row)))


def _with_truths(path: str) -> list[str]:
    """The files of expectations at `path`; of BFCL both those of questions, and those of what is right."""
    given = Path(path)
    if given.is_dir():
        found = [str(one) for one in sorted(given.iterdir()) if one.name.endswith((".json", ".jsonl"))]
        if not found:
            raise SourceError(f"expected a folder with expectations, got none in `{path}`: name a file")
        return found + [str(one) for one in sorted((given / _TRUTHS).glob("*.json"))]
    pair = given.parent / _TRUTHS / given.name
    if given.parent.name == _TRUTHS:
        pair = given.parent.parent / given.name
    return files([path]) + [str(pair)] * pair.is_file()


def _there(row: Mapping[str, Json]) -> str:
    """The columns of a row that hold anything."""
    return ", ".join([f"`{column}`" for column, value in row.items() if value is not None][:6]) or "nothing"


def _answers(row: dict[str, Json]) -> Iterator[GivenAnswer]:
    """The answers of a row: texts of a model, or calls that are given as such. Raises MessageError for none."""
    name = next((name for name in (*TEXTS, *CONVERSATIONS) if row.get(name) is not None), None)
    if "tool_calls" in row or name == "choices":
        yield Message.of(row)
    elif name is None:
        raise MessageError(f"an answer in {', '.join(TEXTS[:6])} or messages", _there(row), "$")
    elif name in CONVERSATIONS:
        yield from (turn.message for turn in read(row).turns if isinstance(turn, Assistant))
    elif isinstance(row[name], list) and row[name] and all(isinstance(one, str) for one in row[name]):
        yield from row[name]
    else:
        yield _answer(row[name], name)


def _answer(value: Json, where: str) -> GivenAnswer:
    """An answer: a text, a message or calls of an API, or `{tool: arguments}` as BFCL keeps native calls."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, Mapping) and len(one) == 1 for one in value):
        value = [{"name": name, "arguments": arguments} for one in value for name, arguments in one.items()]
    if isinstance(value, Mapping) and not value.get("tool_calls") and isinstance(value.get("content"), str):
        return str(value["content"])  # what it calls, it calls in its text
    if not isinstance(value, Mapping | list):
        raise MessageError("an answer as text, message or calls", shown(value), where)
    return Message.of(value)
