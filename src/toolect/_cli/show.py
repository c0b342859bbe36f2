"""Listings: the dialects and chats there are, and all there is to know about one dialect."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

import click

import toolect
from toolect import registry
from toolect._chats.chat_registry import spec as chat_spec
from toolect._cli.options import Form, dialect_names, find, form_for, format_option, options
from toolect._cli.terminal import Pen, Styled, TerminalStyle, block, emit_json, note
from toolect._compiled import Dialect
from toolect._message import Call, Content, Json, Message, Reasoning
from toolect._spec.chat_model import ChatSpec
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot
from toolect._spec.map_keys import said_of
from toolect._spec.model import Rule, Spec
from toolect._spec.shape_model import Const, Hole, Keyed, Many, Obj, OneOf, Shape

WEATHER = Call("get_weather", {"city": "Zürich", "days": 3})
VALUES = {
    "flag": True,
    "ratio": 0.5,
    "note": None,
    "tags": ["a", "b"],
    "limits": {"min": 1},
    "code": "if a < b:\n    go()",
}
SAMPLES = {
    "content": Message([Content("It is 18 °C in Zürich.")]),
    "reasoning, then content": Message([Reasoning("They ask for the weather."), Content("It is 18 °C in Zürich.")]),
    "a call": Message([WEATHER]),
    "content, then a call": Message([Content("Let me look."), WEATHER]),
    "two calls": Message([WEATHER, Call("get_time", {"place": "Paris"})]),
    "a call without arguments": Message([Call("list_files", {})]),
    "values of every type": Message([Call("configure", VALUES)]),
}


@click.command()
@click.argument("pattern", required=False, shell_complete=dialect_names)
@format_option("the list", Form.JSON, Form.TEXT)
@options("spec")
def list_dialects(pattern: str | None, form: str | None) -> int:
    """List the dialects: name, description, aliases and the models that write them.

    With PATTERN, those that have it in their name, an alias, a model pattern or the description; `*` and `?` stand for
    any characters. Where none has it, the dialect that it leads to as the id of a model. The json format is one object
    a line.
    """
    return _listed("dialect", "toolect list", [*map(registry.spec, registry.dialects())], registry.spec, pattern, form)


@click.command()
@click.argument("pattern", required=False)
@format_option("the list", Form.JSON, Form.TEXT)
@options("spec")
def list_chats(pattern: str | None, form: str | None) -> int:
    """List the chats: name, description, dialect, media, aliases and the models that are given them.

    With PATTERN, those that have it in what they are called, as `toolect list` does.
    """
    return _listed("chat", "toolect chat list", [*map(chat_spec, toolect.chats())], chat_spec, pattern, form)


def _listed(
    what: str, command: str, specs: Sequence[Spec | ChatSpec], named: Callable[[str], Spec | ChatSpec],
    pattern: str | None, form: str | None,
) -> int:  # fmt: skip
    """Writes the specs that have a pattern in what they are called, or the one that a model's id leads to."""
    if pattern is not None:
        found = [spec for spec in specs if _has(spec, pattern)]
        with suppress(toolect.UnknownNameError):
            found = found or [named(pattern)]
        if not found:
            note(f"expected a part of what some {what} is called, got `{pattern}`: `{command}` shows them all")
            return 1
        specs = found
    if form_for(form) == Form.JSON:
        for spec in specs:
            about = {"name": spec.name, "about": spec.about, "source": spec.source}
            answers = {"dialect": spec.dialect, "media": [*spec.media]} if isinstance(spec, ChatSpec) else {}
            emit_json({**about, **answers, "models": spec.models, "aliases": spec.aliases})
        return 0
    pen, width = Pen(), max(len(spec.name) for spec in specs)
    for spec in specs:
        pen.write([(TerminalStyle.NAME, f"{spec.name:{width}}"), (TerminalStyle.PLAIN, f"  {spec.about}\n")])
        own = {"dialect": filter(None, [spec.dialect]), "media": spec.media} if isinstance(spec, ChatSpec) else {}
        for key, values in (own | {"aliases": spec.aliases, "models": spec.models}).items():
            if text := ", ".join(values):
                pen.write([(TerminalStyle.KEY, f"{'':{width}}  {key}: "), (TerminalStyle.QUIET, f"{text}\n")])
    return 0


def _has(spec: Spec | ChatSpec, pattern: str) -> bool:
    """True when a part of what it is called is like the pattern."""
    wanted = f"*{_folded(pattern).replace('[', '[[]')}*"
    return any(fnmatchcase(_folded(text), wanted) for text in (spec.name, spec.about, *spec.aliases, *spec.models))


def _folded(text: str) -> str:
    return text.casefold().replace("_", "-")


@click.command()
@click.argument("dialect", shell_complete=dialect_names)
@options("spec")
def command(dialect: str) -> int:
    """Show a dialect: its spec, its grammar, the template derived from it, and a sample of each construct.

    In the template, ↵ ends a line, ⟦…⟧ is filled with data, and «…» stands for another rule. How it reads a text shows
    `toolect parse --tree`.
    """
    Pen().write(_pieces(find(dialect)))
    return 0


def _pieces(dialect: Dialect) -> Iterator[Styled]:
    spec = dialect.spec
    yield TerminalStyle.LABEL, f"{spec.name}\n"
    yield TerminalStyle.PLAIN, block(spec.about)
    fields = {"source": (spec.source,), "models": spec.models, "aliases": spec.aliases, "end": map(repr, spec.end)}
    for key, values in fields.items():
        yield TerminalStyle.KEY, f"  {key}: "
        yield TerminalStyle.PLAIN, (", ".join(values) or "none") + "\n"
    yield TerminalStyle.LABEL, "\ngrammar\n"
    yield TerminalStyle.PLAIN, block(_grammar(spec))
    yield TerminalStyle.LABEL, "\ntemplate\n"
    for title, text in template(spec):
        yield TerminalStyle.KEY, f"  {title}\n"
        yield TerminalStyle.PLAIN, block(text.removesuffix("\n"), "    ")
    yield TerminalStyle.LABEL, "\nsamples\n"
    for title, message in SAMPLES.items():
        yield TerminalStyle.KEY, f"  {title}\n"
        yield from _sample(dialect, message)


def _grammar(spec: Spec) -> str:
    """The grammar file's text; a rule knows the file it stands in."""
    path = next((rule.place.path for rule in spec.rules.values() if not rule.value and rule.place.path), None)
    try:
        return Path(path).read_text(encoding="utf-8").rstrip("\n") if path else "(not kept)"
    except OSError as error:
        return f"({path}: {error.strerror})"


def _sample(dialect: Dialect, message: Message) -> Iterator[Styled]:
    try:
        yield TerminalStyle.PLAIN, block(str(dialect.render(message)), "    ")
    except toolect.RenderError as error:
        yield TerminalStyle.QUIET, block(f"cannot be written: {error}", "    ")


# The template that a grammar is: literals as they are written, holes by what fills them


def template(spec: Spec) -> Iterator[tuple[str, str]]:
    """Each rule of the dialect itself with its text: `↵` ends a line, ⟦…⟧ is filled, a rule's name stands for it."""
    for rule in spec.rules.values():
        if not rule.value:
            yield _title(spec, rule), _text(spec, rule.name, rule.expr)


def _title(spec: Spec, rule: Rule) -> str:
    role = spec.roles.get(rule.name)
    return rule.name if role is None or role == rule.name else f"{rule.name} ({role})"


def _text(spec: Spec, rule: str, expr: Expr, inside: bool = False) -> str:
    match expr:
        case Literal(text):
            return text.replace("\n", "↵\n")
        case Slot(kind):
            return f"⟦{_filled(spec, rule, kind.value)}⟧"
        case Pattern(_, name):
            return f"⟦{_filled(spec, rule, name)}⟧"
        case Ref(name):
            return f"⟦{_filled(spec, rule, name)}⟧" if f"{rule}/{name}" in spec.roles else f"«{name}»"
        case Seq(items):
            return "".join(_text(spec, rule, item, True) for item in items)
        case Alt(items):
            either = [_text(spec, rule, item) for item in items]
            return f"({' | '.join(either)})" if inside else "\n| ".join(either)
        case Repeat(item, least, once):
            text = _text(spec, rule, item, True)
            whole = text if isinstance(item, Ref | Alt) else f"({text})"
            return whole + ("?" if once else "+" if least else "*")


def _filled(spec: Spec, rule: str, name: str) -> str:
    """Filling of the hole `name` of `rule`: its shape, its role, its rule's role, or its own name."""
    shape = spec.shapes.get(f"{rule}/{name}")
    if shape is not None:
        return json.dumps(_shown(shape), ensure_ascii=False).replace('"', "")
    role = said_of(spec.roles, rule, name) or spec.roles.get(rule)
    return str(role).removeprefix("call.").removeprefix("argument.") if role else name


def _shown(shape: Shape) -> Json:
    match shape:
        case Hole(kind):
            return str(kind).removeprefix("$")
        case Const(value):
            return value
        case Obj(fields):
            return {"|".join(f.keys) + ("?" if f.optional else ""): _shown(f.shape) for f in fields}
        case Keyed(inner):
            return {"name": _shown(inner)}
        case Many(item):
            return [_shown(item)]
        case OneOf(shapes):
            return _shown(shapes[0])
