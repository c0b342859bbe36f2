"""Answers to the cases of BFCL: their truth as calls, and the same altered in ways that may or may not count."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

Calls: TypeAlias = list[dict[str, dict[str, Any]]]
"""Calls as the checker takes them: each an object of one tool with its arguments."""


class Question(NamedTuple):
    """A case of BFCL: the tools on offer, and the calls that are right, each argument with its possible values."""

    id: str
    category: str
    functions: list[dict[str, Any]]
    truth: Calls

    @property
    def language(self) -> str:
        """The language that arguments are written in as texts; none where they are values."""
        found = self.category.rpartition("_")[2]
        return found if found in ("java", "javascript") else ""


def questions(data: Path) -> Iterator[Question]:
    """All cases of the data of BFCL whose truth is calls, with those where no call, or any, is right."""
    for path in sorted(data.glob("BFCL_v4_*.json")):
        category = path.stem.removeprefix("BFCL_v4_")
        beside = data / "possible_answer" / path.name
        truths = list(_lines(beside)) if beside.is_file() else []
        if category.startswith(("multi_turn", "memory", "web_search", "format")):
            continue
        by_id = {one["id"]: one["ground_truth"] for one in truths}
        for row in _lines(path):
            yield Question(row["id"], category, row["function"], by_id.get(row["id"], []))


def _lines(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def truth_of(question: Question) -> Calls:
    """The first of the possible values of each argument, and none of an argument that may be left out."""
    found = []
    for call in question.truth:
        ((name, arguments),) = call.items()
        function = next(one for one in question.functions if one["name"] == name)
        declared = function["parameters"]["properties"]
        values = {key: _first(options) for key, options in arguments.items()}
        if question.language:
            values = {k: _source(v, declared.get(k, {}), question.language) for k, v in values.items() if v != ""}
        found.append({name: {key: value for key, value in values.items() if value != ""}})
    return found


def _first(options: list[Any]) -> Any:
    option = next((one for one in options if one != ""), "")
    return _members(option)


def _members(option: Any) -> Any:
    if isinstance(option, dict):
        found = {key: next((one for one in _list(options) if one != ""), "") for key, options in option.items()}
        return {key: value for key, value in found.items() if value != ""}
    if isinstance(option, list) and option and all(isinstance(one, dict) for one in option):
        return [_members(one) for one in option]
    return option


def _list(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


def _source(value: Any, declared: dict[str, Any], language: str) -> str:
    """A value as the checker of BFCL takes it in a language: texts as they are, all else as a literal."""
    kind, item = declared.get("type", ""), declared.get("items", {}).get("type", "")
    return value if isinstance(value, str) else _literal(value, kind, item, language)


def _literal(value: Any, kind: str, item: str, language: str) -> str:
    script = language == "javascript"
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return f"{value}{ {'long': 'L', 'float': '' if script else 'f', 'Bigint': 'n'}.get(kind, '') }"
        case list() if script:
            return f"[{', '.join(_literal(one, item, '', language) for one in value)}]"
        case list() if kind == "ArrayList":
            return f"new ArrayList<>(Arrays.asList({', '.join(_literal(one, item, '', language) for one in value)}))"
        case list():
            return f"new {item or 'Object'}[]{{{', '.join(_literal(one, item, '', language) for one in value)}}}"
        case dict() if script:
            return "{" + ", ".join(f'"{k}": {_literal(v, "", "", language)}' for k, v in value.items()) + "}"
        case dict():
            puts = " ".join(f'put("{k}", {_literal(v, "", "", language)});' for k, v in value.items())
            return f"new HashMap<String, Object>() {{{{ {puts} }}}}"
        case str():
            return json.dumps(value)
    return json.dumps(value)


Alteration: TypeAlias = Callable[[Calls, Question, random.Random], Calls]


def _name(calls: Calls, question: Question, chance: random.Random) -> Calls:
    """Another tool is called: one on offer where there is one."""
    at = chance.randrange(len(calls))
    ((name, arguments),) = calls[at].items()
    others = [one["name"] for one in question.functions if one["name"] != name] or [name + "_of"]
    calls[at] = {chance.choice(others): arguments}
    return calls


def _some(calls: Calls, chance: random.Random) -> tuple[dict[str, Any], str]:
    """An argument of one of the calls; a new one where none has any."""
    arguments = [one for call in calls for one in call.values() if one] or [*calls[0].values()]
    found = chance.choice(arguments)
    return found, chance.choice([*found] or ["more"])


def _key(calls: Calls, _: Question, chance: random.Random) -> Calls:
    """An argument has another name, is missing, or comes beside one that is not known."""
    arguments, key = _some(calls, chance)
    value = arguments.pop(key, 1)
    for name in chance.choice(([key + "s"], [], [key, key + "_more"])):
        arguments[name] = value
    return calls


def _value(calls: Calls, _: Question, chance: random.Random) -> Calls:
    arguments, key = _some(calls, chance)
    arguments[key] = _another(arguments.get(key, 1), chance)
    return calls


def _another(value: Any, chance: random.Random) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + chance.choice((1, -1, 0.5, 10))
        case str():
            return chance.choice((value + " more", value[:-1], value.upper(), value + ".", value.replace(" ", "-"), ""))
        case [*items] if items:
            at = chance.randrange(len(items))
            changed = [*items[:at], _another(items[at], chance), *items[at + 1 :]]
            return chance.choice((items[:-1], [*items, items[0]], items[::-1], changed))
        case dict() if value:
            key = chance.choice([*value])
            rest = {k: v for k, v in value.items() if k != key}
            return chance.choice((rest, value | {"more": 1}, value | {key: _another(value[key], chance)}))
    return chance.choice((1, "text", None))


def _type(calls: Calls, _: Question, chance: random.Random) -> Calls:
    arguments, key = _some(calls, chance)
    value = arguments.get(key)
    others = [str(value), [value], {"of": value}, None, True, 7, 7.5, ""]
    if isinstance(value, float) and value.is_integer():
        others += [int(value)] * 4
    if isinstance(value, int):
        others += [float(value)] * 2
    arguments[key] = chance.choice(others)
    return calls


def _number(calls: Calls, _: Question, chance: random.Random) -> Calls:
    return calls[:-1] if chance.random() < 0.5 else [*calls, chance.choice(calls)]


def _order(calls: Calls, _: Question, chance: random.Random) -> Calls:
    """Other order of calls, of arguments, and of the items of a list."""
    calls = [{name: dict(reversed(arguments.items())) for name, arguments in call.items()} for call in calls]
    if len(calls) > 1:
        return calls[::-1]
    for arguments in calls[0].values():
        lists = [key for key, value in arguments.items() if isinstance(value, list)]
        for key in lists[: chance.randrange(2)]:
            arguments[key] = arguments[key][::-1]
    return calls


ALTERATIONS: dict[str, Alteration] = {
    "name": _name, "key": _key, "value": _value, "type": _type, "number": _number, "order": _order,
}  # fmt: skip
