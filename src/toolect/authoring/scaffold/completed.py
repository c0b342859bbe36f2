"""What lint asks of a new dialect beyond its samples: cases that the dialect writes itself, and reasons for spellings.

A case that is made up says so in its title. What only looks like a slip of the pen is allowed, as the samples have it,
and so is what they do not show how to write.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgspec import structs

from toolect._shown import one_line
from toolect.authoring.corpus import Case, describe, write
from toolect.authoring.generate.minimal import THOUGHT
from toolect.authoring.lint.corpus_checks import first_id, missing
from toolect.authoring.lint.runner import lint
from toolect.authoring.lint.update import Manner, true
from toolect.authoring.scaffold.making import Scaffold, corpus_path
from toolect.compiled import Dialect
from toolect.diagnostic import Place
from toolect.message import Call, Json, Message, Segment, Status, dumps
from toolect.rendered import Unrepresentable

_EMPTY = "no sample shows a value with nothing in it: its type is the declared one"
_ALLOWED = {
    "injection": "no sample shows how it is escaped",
    "unwritable-value": _EMPTY,
    "broken-round-trip": _EMPTY,
}
"""Checks of what samples tell, and why it is so."""
_GLUED = "broken-round-trip", "no sample has content like the word that ends a call, or right behind it"


def completed(made: Scaffold, name: str, spec: Path, tools: Sequence[Json] | None) -> Scaffold:
    """The dialect with what its samples do not show added to its corpus, if it reads all of them."""
    if made.unread or not made.calls:
        return made
    path = corpus_path(spec, name)
    added = dict(_added(made, path))
    files = dict(made.files)
    cases, told = _told([*made.cases, *added.values()], made.dialect, name, tools)
    files[path] = write(cases)
    if told:
        files[path.parent / "tools" / f"{name}.json"] = json.dumps(tools, ensure_ascii=False, indent=2) + "\n"
    remarks = [f"no sample shows {', or '.join(added)}: look at what is made up of it in {path}"] if added else []
    files, allowed = _allowed(files, spec, _glued(made.dialect, made.cases))
    return made._replace(files=files, remarks=(*remarks, *allowed))


def _added(made: Scaffold, path: Path) -> Iterator[tuple[str, Case]]:
    """What no sample shows, in words, each with a case that the dialect writes and reads."""
    dialect = made.dialect
    messages = [dialect.parse(case.text, **case.options) for case in made.cases]
    for about, case in _prompted(dialect, made.cases, messages, path):
        messages.append(dialect.parse(case.text, **case.options))
        yield about, case
    for about, text in missing(dialect, messages):
        yield about, _case(dialect, about, text, path)
    runnable = [call for message in messages for call in message.runnable[:1]]
    plain = next(filter(None, (_written(dialect, Call(call.name, call.arguments)) for call in runnable)), "")
    ids, known = dialect.spec.ids, {call.id for message in messages for call in message.calls}
    if plain and ids is not None and first_id(ids) not in known:
        about = "a call whose id is made"
        yield about, _case(dialect, about, plain, path)
    for token in dialect.spec.end if plain else ():
        without = Dialect(structs.replace(dialect.spec, end=tuple(one for one in dialect.spec.end if one != token)))
        texts = [(case.text, case.options) for case in made.cases]
        if not any(_differ(dialect, without, text, options) for text, options in texts):
            about = f"`{token}` at the end"
            if _differ(dialect, without, plain + token, {}):
                yield about, _case(dialect, about, plain + token, path)


def _prompted(
    dialect: Dialect, cases: Sequence[Case], messages: Sequence[Message], path: Path
) -> Iterator[tuple[str, Case]]:
    """Reasoning that the prompt opens, where no case has that."""
    prefixes = [case.options.get("prefix", "") for case in cases]
    calls = [call for message in messages for call in message.runnable[:1]][:1]
    for tail in dialect.spec.prefill:
        text = _written(dialect, THOUGHT, *calls)
        if text.startswith(tail) and not any(prefix.endswith(tail) for prefix in prefixes):
            about = f"reasoning behind `{one_line(tail)}` in the prompt"
            yield about, _case(dialect, about, text.removeprefix(tail), path, tail)


def _written(dialect: Dialect, *segments: Segment) -> str:
    """What the dialect writes for a message; nothing where it cannot."""
    try:
        return str(dialect.render(Message(segments)))
    except Unrepresentable:
        return ""


def _differ(one: Dialect, other: Dialect, text: str, options: dict[str, Any]) -> bool:
    """Is a text read in one way by one dialect, and otherwise by the other?"""
    return describe(one.parse(text, **options)) != describe(other.parse(text, **options))


def _case(dialect: Dialect, about: str, text: str, path: Path, prefix: str = "") -> Case:
    attributes = [("prefix", dumps(prefix))] if prefix else []
    message = dialect.parse(text, prefix=prefix)
    title = f"{about[0].upper()}{about[1:]}: made up, as no sample has one"
    case = Case(path, 1, title, tuple(attributes), text, describe(message))
    manner = true(case, message, dialect)
    value = str(Status.TRUNCATED) if manner is Manner.ERROR else ""
    return replace(case, attributes=(*attributes, (str(manner), value))) if manner else case


def _told(cases: Iterable[Case], dialect: Dialect, name: str, tools: Sequence[Json] | None) -> tuple[list[Case], bool]:
    """The cases, those that need the tools to be read as they say with them; and whether there are any."""
    found, told = [], False
    for case in cases:
        if tools and case.expected and describe(dialect.parse(case.text, **case.options)) != case.expected:
            inline = replace(case, attributes=(("tools", dumps(tools)),))
            manner = true(inline, dialect.parse(case.text, **inline.options), dialect)
            others = [one for one in case.attributes if one[0] != Manner.PARSE_ONLY]
            others += [(str(manner), "")] if manner is Manner.PARSE_ONLY else []
            case, told = replace(case, attributes=(("tools", name), *others)), True
        found.append(case)
    return found, told


def _allowed(files: dict[Path, str], spec: Path, glued: bool) -> tuple[dict[Path, str], list[str]]:
    """The files, with a comment wherever lint finds what the samples tell to be so; and what cannot be written."""
    reasons = _ALLOWED | dict([_GLUED] if glued else [])
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            target = Path(folder) / path.relative_to(spec.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        found = [one for one in lint(Path(folder) / spec.name, checks=[*reasons]).diagnostics if one.check in reasons]
        at = [spec.parent / Path(one.place.path).relative_to(folder) for one in found]
    allow: dict[Path, set[tuple[int, str]]] = {}
    for path, one in zip(at, found, strict=True):
        allow.setdefault(path, set()).add((_head(files[path], one.place), one.check))
    done = dict(files)
    for path, places in allow.items():
        lines = files[path].split("\n")
        sign = "#" if path == spec else "//"
        for number, check in sorted(places, reverse=True):
            lines.insert(number, f"{sign} toolect: allow {check} {reasons[check]}")
        done[path] = "\n".join(lines)
    return done, [f"{one.message}: {reasons[one.check]}" for one in found]


def _glued(dialect: Dialect, cases: Sequence[Case]) -> bool:
    """True where a call ends with a word, so that content may be that word, and one right behind it a part of it."""
    calls = [call for case in cases for call in dialect.parse(case.text, **case.options).runnable][:1]
    for call in calls:
        with suppress(Unrepresentable):
            return re.search(r"\w[.!?]?\Z", str(dialect.render(Message([call])))) is not None
    return False


def _head(text: str, place: Place) -> int:
    """How many lines stand before the definition that a place is in."""
    lines = text.split("\n")
    return next(
        (
            at
            for at in range(place.line - 1, -1, -1)
            if lines[at] and not lines[at].lstrip().startswith("|") and not lines[at].startswith(" ")
        ),
        0,
    )
