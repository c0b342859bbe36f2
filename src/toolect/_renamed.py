"""Old names of the public interface: whoever asks for one gets an error that says the new one."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, NoReturn, ParamSpec, TypeVar

from toolect._errors import ToolectError

P = ParamSpec("P")
R = TypeVar("R")

NEW_NAMES = {
    "toolect.BadMessage": "toolect.MessageError",
    "toolect.UnknownChat": "toolect.UnknownNameError",
    "toolect.UnknownDialect": "toolect.UnknownNameError",
    "toolect.Unrepresentable": "toolect.RenderError",
    "toolect.agent.Aborted": "toolect.agent.AbortedError",
    "toolect.agent.BadTool": "toolect.agent.ToolDefinitionError",
    "toolect.agent.Failed": "toolect.agent.ToolError",
    "toolect.agent.MaxIterations": "toolect.agent.MaxIterationsError",
    "toolect.agent.Retry": "toolect.agent.RetryError",
    "toolect.agent.SentBack": "toolect.agent.RetryLimitError",
    "toolect.agent.ToolsRefused": "toolect.agent.ToolsRefusedError",
    "toolect.agent.UnreadCalls": "toolect.agent.UnparsedCallsError",
    "toolect.agent.Unreadable": "toolect.agent.UnreadableCallsError",
    "toolect.authoring": "toolect.testing",
    "toolect.chat_template.BadTemplate": "toolect.chat_template.TemplateError",
    "toolect.compiled": "toolect",
    "toolect.diagnostic": "toolect.types",
    "toolect.events": "toolect",
    "toolect.message": "toolect",
    "toolect.openai.BadMessage": "toolect.MessageError",
    "toolect.registry.UnknownDialect": "toolect.UnknownNameError",
    "toolect.rendered": "toolect",
    "toolect.segments": "toolect",
    "toolect.tokens.UnknownId": "toolect.tokens.TokenIdError",
    "toolect.transcript": "toolect.types",
    "toolect.turns": "toolect.conversation",
}
"""New name of each name and module that was public once, or the module that has its contents now."""


class RenamedError(ToolectError):
    """Something has another name now. No AttributeError: `from toolect import …` would not show its message."""

    __module__ = "toolect"


def refuse(name: str) -> None:
    """Raise `RenamedError` for an old name, with its module before it."""
    if name in NEW_NAMES:
        raise RenamedError(f"expected a name of today, got `{name}`: it is `{NEW_NAMES[name]}`")


def old_names(module: str) -> Callable[[str], NoReturn]:
    """The `__getattr__` of a module in which something was renamed."""

    def lookup(name: str) -> NoReturn:
        refuse(f"{module}.{name}")
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return lookup


def renamed_parameters(**new: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function raise TypeError for old names of its parameters, with the `new` ones."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in new.keys() & kwargs.keys():
                raise TypeError(f"expected a parameter of today, got `{name}`: it is `{new[name]}`")
            return function(*args, **kwargs)

        return call

    return decorate


class _Finder:
    """The last finder of modules: it is asked for those that nobody finds."""

    @staticmethod
    def find_spec(name: str, *_: Any) -> None:
        refuse(name)


sys.meta_path.append(_Finder)
