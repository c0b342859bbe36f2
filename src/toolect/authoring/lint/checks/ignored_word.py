"""Finds words of Lark that mean nothing here: `?rule`, `!rule`, priorities."""

from __future__ import annotations

from collections.abc import Iterator

from lark import Token

from toolect._spec.grammar_source import place_of
from toolect._spec.lark_loader import LarkTree
from toolect.authoring.lint.places import files
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each definition with such a word."""
    for source in files(subject.source):
        for statement in source.tree.children:
            for token in _ignored(statement):
                what = "the priority" if token.type == "NUMBER" else "the sign"
                shown = f".{token}" if token.type == "NUMBER" else str(token)
                yield warning(
                    "ignored-word",
                    f"{what} `{shown}` changes nothing: {_WHY[token.type]}",
                    place_of(source.path, token),
                    help="delete it" if token.type != "NUMBER" else "delete it; the first alternative goes first",
                )


_WHY = {"NUMBER": "what fits is read, not what is wanted first", "RULE_MODIFIERS": "no tree is made of the rules"}


def _ignored(statement: LarkTree) -> Iterator[Token]:
    for inner in statement.iter_subtrees():
        if inner.data in ("priority", "rule_modifiers", "term"):
            yield from (token for token in inner.children if isinstance(token, Token) and token.type in _WHY)
