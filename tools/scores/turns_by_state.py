"""Conversations of BFCL, whose turns are compared by what they bring about; runs where `bfcl-eval` is installed."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import random
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from toolect import Call

Turns: TypeAlias = list[list[Call]]
"""The calls of each turn. Arguments without a name have their place as one: "0"."""
MULTI_TURN = import_module("bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker")
CLASSES = import_module("bfcl_eval.constants.executable_backend_config").CLASS_FILE_PATH_MAPPING


class Talk(NamedTuple):
    """A conversation: what its calls act on, and the calls that are right."""

    row: dict[str, Any]
    truth: Turns


def talks(data: Path) -> Iterator[Talk]:
    """All conversations of several turns in the data of BFCL."""
    for path in sorted(data.glob("BFCL_v4_multi_turn_*.json")):
        truths = [json.loads(line) for line in (data / "possible_answer" / path.name).read_text("utf-8").splitlines()]
        for line, truth in zip(path.read_text("utf-8").splitlines(), truths, strict=True):
            yield Talk(json.loads(line), [[call_of(text) for text in turn] for turn in truth["ground_truth"]])


def call_of(text: str) -> Call:
    """A call that is written as Python."""
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    given = {str(at): ast.literal_eval(value) for at, value in enumerate(call.args)}
    named = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    return Call(ast.unparse(call.func), given | named)


def text_of(call: Call) -> str:
    """A call as Python."""
    given = [repr(value) if key.isdecimal() else f"{key}={value!r}" for key, value in call.arguments.items()]
    return f"{call.name}({', '.join(given)})"


class Backend:
    """State that the calls of a conversation act on: objects of the classes of BFCL."""

    def __init__(self, row: dict[str, Any]) -> None:
        self._objects: dict[str, Any] = {}
        for name in row["involved_classes"]:
            one = getattr(import_module(CLASSES[name]), name)()
            if hasattr(one, "_load_scenario"):
                config = copy.deepcopy(row["initial_config"].get(name, {}))
                one._load_scenario(config, long_context="long_context" in row["id"])
            self._objects[name] = one

    def run(self, call: Call) -> object:
        """The result, as a text; an error is one, too."""
        try:
            methods = [getattr(one, call.name) for one in self._objects.values() if hasattr(one, call.name)]
            if not methods or call.name.startswith("_") or not inspect.ismethod(methods[-1]):
                raise NameError(f"name '{call.name}' is not defined")
            arguments = copy.deepcopy(call.arguments)  # what is given may become a part of the state
            given = [value for key, value in arguments.items() if key.isdecimal()]
            named = {key: value for key, value in arguments.items() if not key.isdecimal()}
            found = methods[-1](*given, **named)
        except Exception as error:  # whatever the classes of BFCL raise is a result of the call
            return f"Error during execution: {error}"
        try:
            return json.dumps(found) if isinstance(found, dict) else str(found)
        except TypeError:
            return str(found)

    def state(self) -> dict[str, object]:
        """The attributes of all objects that are not private."""
        return {
            f"{name}.{key}": value
            for name, one in self._objects.items()
            for key, value in vars(one).items()
            if not key.startswith("_")
        }


_asked = iter(range(1 << 30))
"""Numbers for questions: the checker keeps what the calls of one model acted on by its name."""


def bfcl_turns_right(turns: Turns, talk: Talk) -> bool:
    """Verdict of the checker of BFCL; each turn is one step."""
    answers = [[[text_of(call) for call in turn]] if turn else [] for turn in turns]
    truth = [[text_of(call) for call in turn] for turn in talk.truth]
    category = talk.row["id"].rpartition("_")[0]
    found = MULTI_TURN.multi_turn_checker(answers, truth, talk.row, category, f"model{next(_asked)}")
    return bool(found["valid"])


def _but(turns: Turns, chance: random.Random, change: Callable[[list[Call], int], None]) -> Turns:
    """The turns with a change at one of their calls."""
    turns = [list(turn) for turn in turns]
    turn = chance.choice([one for one in turns if one] or [[Call("none", {})]])
    change(turn, chance.randrange(len(turn)))
    return turns


def _value(turn: list[Call], at: int) -> None:
    key, value = next(iter(turn[at].arguments.items()), ("more", 1))
    other = value + 1 if isinstance(value, int | float) else f"{value}x" if isinstance(value, str) else None
    turn[at] = Call(turn[at].name, turn[at].arguments | {key: other})


def _name(turn: list[Call], at: int) -> None:
    turn[at] = Call(turn[at].name + "s", turn[at].arguments)


def _swapped(turn: list[Call], at: int) -> None:
    turn.insert(0, turn.pop(at))


def _twice(turn: list[Call], at: int) -> None:
    turn.append(turn[at])


TURN_ALTERATIONS: dict[str, Callable[[list[Call], int], None]] = {
    "name": _name, "value": _value, "call left out": lambda turn, at: turn.__delitem__(at), "call twice": _twice,
    "order": _swapped, "turn left out": lambda turn, _: turn.clear(),
}  # fmt: skip


def altered_turns(talk: Talk, seed: int) -> Iterator[tuple[str, Turns]]:
    """The truth of a conversation, and the same altered in each way."""
    yield "truth", talk.truth
    for what, change in TURN_ALTERATIONS.items():
        yield what, _but(talk.truth, random.Random(f"{talk.row['id']} {what} {seed}"), change)
