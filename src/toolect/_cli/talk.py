"""`toolect talk`: a conversation as the text that a family of models is given, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolect._chats.chat_registry import chat, looks_like
from toolect._cli._shared import shared_options as shared
from toolect._cli._shared.drawing import Pen
from toolect._cli._shared.given_conversation import conversation_of, note_all_unread
from toolect._cli._shared.io import Misuse, emit_json, emit_wire, note, read, read_json
from toolect._names import UnknownNameError
from toolect._rendered import RenderError
from toolect._shown import one_line
from toolect._transcript import Origin, OriginSpan, Transcript
from toolect.conversation import Conversation

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolect._chats.verbs import Chat

_STYLES = {
    Origin.SCAFFOLD: "dim", Origin.SYSTEM: "magenta", Origin.USER: "green", Origin.TOOLS: "cyan",
    Origin.RESULT: "yellow", Origin.ANSWER: "bold",
}  # fmt: skip


@click.command()
@shared.file_argument
@shared.spec_option
@click.option(
    "--from", "source", metavar="CHAT", help="The chat that FILE is a transcript of; without it FILE is JSON."
)
@click.option("--to", "targets", metavar="CHAT", multiple=True, help="The chat to write; more than one may be given.")
@click.option("--generate/--no-generate", default=None, help="Ask for the next answer, or not.")
@click.option("--thinking/--no-thinking", default=None, help="Ask for reasoning, or for none.")
@click.option("--date", metavar="DATE", help="Today, for chats that tell it.")
@click.option("--unsafe", type=click.Choice(["refuse", "neutralise", "keep"]), default="refuse",
              help="What to do with a text that holds markup of the chat.")  # fmt: skip
@click.option("--origins", is_flag=True, help="Show whose words each part of the text is.")
@click.option(
    "--explain", is_flag=True, help="Show the rules that each part of the text is of, and when they are written."
)
@click.option(
    "--check", is_flag=True,
    help="Read each text back, and tell what of the conversation it does not say; then the exit status is 1.",
)  # fmt: skip
@shared.max_bytes_option
def command(
    file: str,
    source: str | None,
    targets: tuple[str, ...],
    generate: bool | None,
    thinking: bool | None,
    date: str | None,
    unsafe: str,
    origins: bool,
    explain: bool,
    check: bool,
    max_bytes: int,
) -> int:
    """Write a conversation as the text that models are given, or read one back.

    FILE holds chat-completions messages, or an object with "messages", "tools" and "system"; with --from it is a
    transcript. It is written for each --to, and as messages without any.
    """
    from toolect._chats.left_unread import left_unread  # not part of starting up

    text = read(file, max_bytes) if source is not None else ""
    conversation = _messages(file, max_bytes) if source is None else _transcript(source, text)
    status = 1 if conversation.repairs else 0
    for repair in conversation.repairs:
        detail = f": {one_line(repair.detail[:60])}" if repair.detail else ""
        note(f"{repair.kind} at character {repair.at}{detail}")
    for change in left_unread(conversation.turns, ()):
        status = 1
        note(one_line(str(change)))
    status = int(note_all_unread(conversation)) or status
    if explain and not targets:
        if source is None:
            raise Misuse("expected --from or --to with --explain, got neither: messages have no text to explain")
        _explain(_chat(source), text)
        return status
    if not targets and not origins:
        emit_json(conversation.to_openai(), indent=True)
        return status
    if not targets and source is not None:
        _draw(text, conversation.spans)
        return status
    options: dict[str, Any] = {"thinking": thinking, "date": date, "unsafe": unsafe}
    asks = generate if generate is not None else _open(conversation)
    draw = _explain if explain else _origins if origins else None
    for name in targets:
        status = max(status, _written(name, conversation, asks, options, draw, check, len(targets) > 1))
    return status


def _transcript(source: str, text: str) -> Conversation:
    """What a transcript says."""
    found = _chat(source).parse(text)
    if not found.turns and text.strip():
        likely = [name for name in looks_like(text) if name != source][:3]
        hint = f"it looks like {' or '.join(f'`{name}`' for name in likely)}" if likely else "no chat has its markers"
        raise Misuse(f"expected a transcript of `{source}`, got a text without a turn of it: {hint}")
    return found


def _messages(file: str, max_bytes: int) -> Conversation:
    """What messages say."""
    return conversation_of(read_json(file, max_bytes, "messages"))


def _written(
    name: str,
    conversation: Conversation,
    asks: bool,
    options: dict[str, Any],
    draw: Callable[[Chat, Transcript], None] | None,
    check: bool,
    several: bool,
) -> int:
    """Writes the conversation in one chat; 1 when something of it is lost or cannot be told."""
    one = _chat(name)
    if several:
        note(f"--- {one.name}")
    try:
        text = one.render(conversation, asks, **options)
    except RenderError as error:
        note(f"`{one.name}` cannot carry the conversation: {error}")
        return 1
    for changed in text.defused:
        note(f"turn {changed.turn} held `{changed.marker}`, which was made harmless")
    status = 0
    if draw is None:
        status = emit_wire(str(text))
    else:
        draw(one, text)
    if check:
        lost = one.losses(conversation, text)
        note(f"{one.name}: read back " + (f"otherwise: {'; '.join(lost)}" if lost else "as it was"))
        status = max(status, 1 if lost else 0)
    return status


def _explain(one: Chat, text: str) -> None:
    """Shows the rules of a chat that a text goes through."""
    from toolect._cli.talk_tree import draw_course

    Pen().write(draw_course(one, text))


def _origins(_: Chat, text: Transcript) -> None:
    _draw(str(text), text.spans)


def _draw(text: str, spans: tuple[OriginSpan, ...]) -> None:
    """Shows a text in the colours of its origins, or with their names where there are no colours."""
    pen = Pen()
    for start, end, origin, turn in spans:
        label = f"{origin} {turn}" if turn >= 0 else str(origin)
        pen.write([("dim italic", f"[{label}]"), (_STYLES[origin], text[start:end].rstrip("\n") + "\n")])


def _open(conversation: Conversation) -> bool:
    """True when an answer is due."""
    from toolect.conversation import Assistant

    return not conversation.turns or not isinstance(conversation.turns[-1], Assistant)


def _chat(name: str) -> Chat:
    try:
        return chat(name)
    except UnknownNameError as error:
        raise Misuse(str(error)) from None
