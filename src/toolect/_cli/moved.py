"""Renamed commands and options: what each is called now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

MOVED_COMMANDS = {
    "talk": "chat render",
    "dataset": "data convert",
    "tokens": "data tokens",
    "run": "chat run",
    "generate": "spec generate",
}
"""The commands of before, and those that do their work."""

_FORMAT, _SCHEMAS, _DIALECT = {"--json": "--format json"}, {"--tools": "--schemas"}, {"--from": "--dialect"}
_TREE = "parse FILE --dialect NAME --tree"
MOVED_OPTIONS: dict[str, dict[str, str]] = {
    "parse": _DIALECT | _SCHEMAS,
    "render": _SCHEMAS,
    "convert": _DIALECT | _SCHEMAS,
    "detect": _FORMAT | _SCHEMAS,
    "lint": {"--explain": "toolect spec checks", "--schema": "toolect spec schema"},
    "new": {"--into": "--out", **_SCHEMAS},
    "coverage": _FORMAT,
    "show": dict.fromkeys(("--tree", "--format", "--strict", "--tools", "--prefix"), f"toolect {_TREE}"),
    "agent": {"--limit": "--answer-timeout"},
    "chat render": {
        "--from": "toolect chat parse --chat, or toolect chat convert --chat --to",
        "--explain": "--tree",
        "--check": "--compare",
    },
    "chat run": _DIALECT,
    "data convert": {
        "--from": "--kind",
        "--from-dialect": "--dialect",
        "--strict": "--exact",
        "--keep-told": "--keep-tool-prompt",
        **_FORMAT,
    },
    "data tokens": _FORMAT,
    "spec generate": _SCHEMAS,
}
"""The options of before by the command that has, or had, them, and what does their work."""


def moved_command(name: str, words: Iterable[str]) -> str | None:
    """The sentence for a command of before, with those of its options that are called otherwise; None for another."""
    if name == "completion":
        return "expected no command for it: your shell takes completion from `_TOOLECT_COMPLETE=bash_source toolect`"
    if name not in MOVED_COMMANDS:
        return None
    now = MOVED_COMMANDS[name]
    return "; ".join([f"`toolect {name}` is now `toolect {now}`", *_given(now, words)])


def moved_option(command: str, option: str) -> str | None:
    """The sentence for an option of before; None for another."""
    return next(_given(command, [option]), None)


def _given(command: str, words: Iterable[str]) -> Iterator[str]:
    moved = MOVED_OPTIONS.get(command, {})
    for word in dict.fromkeys(word.partition("=")[0] for word in words):
        if word in moved:
            yield f"`{word}` is now `{moved[word]}`"
