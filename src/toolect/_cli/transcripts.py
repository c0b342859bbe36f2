"""`toolect chat`: a conversation as the transcript that a family of models is given, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from toolect._chats.chat_registry import chat, looks_like
from toolect._chats.conversation_diff import left_unread
from toolect._chats.grammar_chat import Chat
from toolect._chats.transcript_reader import Held
from toolect._cli.input_files import read, read_json
from toolect._cli.options import gathered, options
from toolect._cli.parse import note_unread
from toolect._cli.terminal import STATUS, Misuse, Pen, Styled, TerminalStyle, emit_json, emit_wire, note
from toolect._exchange.gathering import text_of
from toolect._message import Json, Repair
from toolect._rendered import RenderError
from toolect._shown import cut, one_line
from toolect._transcript import Origin, OriginSpan
from toolect._turns import Assistant, System
from toolect.conversation import Conversation, MessageError

F = TypeVar("F", bound=Callable[..., Any])
COLOURS = {
    Origin.SCAFFOLD: "dim", Origin.SYSTEM: "magenta", Origin.USER: "green", Origin.TOOLS: "cyan",
    Origin.RESULT: "yellow", Origin.ANSWER: "bold",
}  # fmt: skip
WIDTH = 60
"""Characters of the text that are shown of a place, or between two."""

_FORMS: dict[str, Callable[[Conversation], Json]] = {
    "openai": Conversation.to_openai, "anthropic": Conversation.to_anthropic, "responses": Conversation.to_responses,
}  # fmt: skip
_chat_option = click.option(
    "--chat", "source", required=True, metavar="CHAT", callback=lambda _ctx, _param, name: chat(name),
    help="The chat that FILE is a transcript of: a name, an alias or a model id.",
)  # fmt: skip
_origins_option = click.option("--origins", is_flag=True, help="Show the origin of each part of the text.")
_tree_option = click.option(
    "--tree", is_flag=True, help="Show the rules that each part of the text is of, and when they are written."
)


@dataclass(frozen=True, slots=True)
class _Writing:
    """Options of writing a conversation."""

    targets: tuple[Chat, ...]
    generate: bool | None
    compare: bool
    origins: bool
    tree: bool
    thinking: bool | None
    date: str | None
    unsafe: str

    @property
    def _options(self) -> dict[str, Any]:
        return {"thinking": self.thinking, "date": self.date, "unsafe": self.unsafe}

    def write(self, conversation: Conversation) -> int:
        """Writes it for each target; 1 when one of them cannot carry it, or not all of it."""
        return max([self._in(target, conversation) for target in self.targets])

    def _in(self, target: Chat, conversation: Conversation) -> int:
        if len(self.targets) > 1:
            note(f"--- {target.name}")
        turns = conversation.turns
        asks = self.generate if self.generate is not None else not turns or not isinstance(turns[-1], Assistant)
        try:
            text = target.render(conversation, asks, **self._options)
        except RenderError as error:
            note(f"`{target.name}` cannot carry the conversation: {error}")
            return 1
        for changed in text.defused:
            note(f"turn {changed.turn} held `{changed.marker}`, which was made harmless")
        status = 0
        if self.tree:
            Pen().write(_draw_rules(target, text))
        elif self.origins:
            Pen().write(_draw_origins(str(text), text.spans))
        else:
            status = emit_wire(str(text))
        if self.compare:
            lost = target.losses(conversation, text)
            note(f"{target.name}: read back " + (f"otherwise: {'; '.join(lost)}" if lost else "as it was"))
            status = max(status, 1 if lost else 0)
        return status


_writes = gathered(
    _Writing, "writing",
    click.option(
        "--to", "targets", metavar="CHAT", multiple=True, required=True,
        callback=lambda _ctx, _param, names: tuple(map(chat, names)),
        help="The chat to write; more than one may be given.",
    ),
    click.option("--generate/--no-generate", default=None, help="Ask for the next answer, or not."),
    "thinking", "date", "unsafe",
    click.option(
        "--compare", is_flag=True,
        help="Read each text back, and say what of the conversation it does not hold; then the exit status is 1.",
    ),
    _origins_option, _tree_option,
)  # fmt: skip
"""The options of writing, handed to the command as one `_Writing`."""


@click.command()
@options("file")
@_writes
@options("spec", "max-bytes")
def render(file: str, max_bytes: int, writing: _Writing) -> int:
    """Write a conversation as the text that models are given.

    FILE holds chat-completions messages, or an object with "messages", "tools" and "system". It is written for each
    --to.
    """
    conversation = conversation_of(read_json(file, max_bytes, "messages"))
    return max(_note_problems(conversation), writing.write(conversation))


@click.command()
@options("file")
@_chat_option
@_writes
@options("spec", "max-bytes")
def convert(file: str, source: Chat, max_bytes: int, writing: _Writing) -> int:
    """Rewrite a transcript for other models: FILE is one of --chat, and is written for each --to."""
    conversation = _transcript(source, read(file, max_bytes))
    return max(_note_problems(conversation), writing.write(conversation))


@click.command()
@options("file")
@_chat_option
@click.option(
    "--format",
    "form",
    type=click.Choice([*_FORMS]),
    default="openai",
    show_default=True,
    help="The API whose messages are written.",
)
@_origins_option
@_tree_option
@options("spec", "max-bytes")
def parse(file: str, source: Chat, form: str, origins: bool, tree: bool, max_bytes: int) -> int:
    """Read a transcript, the text that models are given and what they answer, and write its messages."""
    text = read(file, max_bytes)
    conversation = _transcript(source, text)
    status = _note_problems(conversation)
    if tree:
        Pen().write(_draw_rules(source, text))
    elif origins:
        Pen().write(_draw_origins(text, conversation.spans))
    else:
        emit_json(_FORMS[form](conversation), indent=True)
    return status


def conversation_of(value: Json) -> Conversation:
    """The conversation of messages, or of an object that has them, with `tools` and a `system` text beside them."""
    body = value if isinstance(value, dict) and "messages" in value else {"messages": value}
    try:
        found = Conversation.from_openai(body["messages"], body.get("tools"))
        if body.get("system") is None:
            return found
        text = text_of(body["system"], "system")
        if any(isinstance(turn, System) for turn in found.turns):
            raise MessageError("one system text", "another one in `messages`", "system", "leave one of them out")
    except MessageError as error:
        raise Misuse(f"{error} - in the conversation") from None
    return Conversation([System(text), *found.turns], found.tools) if text else found


def _transcript(source: Chat, text: str) -> Conversation:
    """The conversation that a transcript holds."""
    found = source.parse(text)
    if not found.turns and text.strip():
        likely = [name for name in looks_like(text) if name != source.name][:3]
        hint = f"it looks like {' or '.join(f'`{name}`' for name in likely)}" if likely else "no chat has its markers"
        raise Misuse(f"expected a transcript of `{source.name}`, got a text without a turn of it: {hint}")
    return found


def _note_problems(conversation: Conversation) -> int:
    """Names repairs, calls that must not run and texts with markers left over; 1 where there is any."""
    for repair in conversation.repairs:
        note(f"{repair.kind} at character {repair.at}{_detail(repair)}")
    unread = [*left_unread(conversation.turns, ())]
    for change in unread:
        note(str(change))
    answers = [(at, turn.message) for at, turn in enumerate(conversation.turns) if isinstance(turn, Assistant)]
    broken = [note_unread(message, f"turn {at}: ") for at, message in answers]
    return int(bool(conversation.repairs or unread) or any(broken))


def _detail(repair: Repair) -> str:
    return f": {one_line(cut(repair.detail, WIDTH))}" if repair.detail else ""


# Drawing


def _draw_origins(text: str, spans: Iterable[OriginSpan]) -> Iterator[Styled]:
    """A text in the colours of its origins, and with their names where there are no colours."""
    for start, end, origin, turn in spans:
        yield "dim italic", f"[{origin} {turn}]" if turn >= 0 else f"[{origin}]"
        yield COLOURS[origin], text[start:end].rstrip("\n") + "\n"


def _draw_rules(source: Chat, text: str) -> Iterator[Styled]:
    """Each rule with its role and guard, below it its texts and what its slots hold, and what was relaxed there."""
    course, spec = source.course(text), source.spec
    repairs = sorted(course.repairs, key=lambda repair: repair.at)
    at = depth = 0
    for part in course.parts:
        if not isinstance(part, Held):
            if part.enters:
                role, guard = spec.roles.get(part.rule), spec.when.get(part.rule)
                yield TerminalStyle.LABEL, "  " * depth + part.rule
                yield TerminalStyle.NAME, f"  → {role}" if role is not None else ""
                yield TerminalStyle.QUIET, f"  when {guard}\n" if guard else "\n"
            depth += 1 if part.enters else -1
            continue
        yield from _draw_scaffold(text[at : part.start], depth)
        yield TerminalStyle.KEY, "  " * depth + part.slot
        yield TerminalStyle.QUIET, f"  {part.start}–{part.end}"
        yield TerminalStyle.PLAIN, f"  {one_line(cut(text[part.start : part.end], WIDTH))}\n"
        while repairs and repairs[0].at <= part.end:
            yield from _draw_repair(repairs.pop(0), depth)
        at = part.end
    yield from _draw_scaffold(text[at:], depth)
    for repair in repairs:
        yield from _draw_repair(repair, depth)


def _draw_scaffold(text: str, depth: int) -> Iterator[Styled]:
    if text:
        yield TerminalStyle.QUIET, "  " * depth + one_line(cut(text, WIDTH)) + "\n"


def _draw_repair(repair: Repair, depth: int) -> Iterator[Styled]:
    yield STATUS["repaired"], f"{'  ' * depth}({repair.kind} at character {repair.at}{_detail(repair)})\n"
