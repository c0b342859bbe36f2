"""The page that tells how chats do beside the templates of their models."""

from __future__ import annotations

from collections.abc import Sequence

from tools.reports import keep

ABOUT = """# Chats beside chat templates

`make chats` renders {count} random conversations with each chat template, as transformers does, and with the chat of
its models. They are with and without a system turn, tools, reasoning and parallel calls, of several rounds, with empty
texts, with any script, blanks around texts and markup in them, with thinking on, off and as usual; some have turns that
many templates refuse. *Same* is byte for byte, *refused by both* counts as agreement: {agree} of {held} templates that
have a chat agree with it on 99 % or more. Where a template has several names, their texts are the same. A template that
the model has for conversations with tools alone is held against the chat on those. [Why](#why) tells of templates
without a chat, and of those that differ.

The templates are those that come with llama-cpp-python and with trl. `make chats ARGS="--differences 3"` shows where a
text and its template part.

"""
WHY = """
## Why

"""
FIRST = """
## What differs

The first difference of each chat that is not always the same.

"""


def write(
    rows: Sequence[str], reasons: Sequence[str], differences: Sequence[str], count: int, agree: int, held: int
) -> None:
    """Write the page."""
    text = ABOUT.format(count=count, agree=agree, held=held) + "\n".join(rows) + "\n"
    if reasons:
        text += WHY + "\n".join(reasons) + "\n"
    if differences:
        text += FIRST + "```\n" + "\n".join(differences) + "\n```\n"
    keep("chats.md", text)
