"""Execution of a tool's handler: whatever happens is an output, nothing raises."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import json
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple

from toolect._exchange.media import are_parts, read_parts
from toolect._turns import Media
from toolect.agent.errors import RetryError, ToolError
from toolect.agent.tool import Handler

MAX_OUTPUT = 1 << 20
"""Characters of output that a result keeps. Beyond it: the rest is cut, with a note."""

_log = logging.getLogger("toolect.agent")

_written = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""A value as JSON text. Raises ValueError for numbers that JSON does not have, and what the encoder raises."""


class Output(NamedTuple):
    """The value of a handler as text for the model, or the reason why it was not called."""

    text: str
    is_error: bool = False
    sent_back: bool = False
    """The tool asks for another call."""
    refused: bool = False
    """Nobody approved the call."""
    media: tuple[Media, ...] = ()


async def output_of(
    name: str, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any], timeout: float | None,
    show_exceptions: bool,
) -> Output:  # fmt: skip
    """The output of a handler, within `timeout` seconds; of an exception its class, with its text on demand.

    Raises nothing but the cancellation of the task that waits.
    """
    task = asyncio.ensure_future(_called(handler, args, kwargs))
    task.add_done_callback(lambda done: done.cancelled() or done.exception())  # given up, it may fail in silence
    try:
        # Not wait_for: a handler that does not let itself be cancelled must not hold the agent up.
        done, _ = await asyncio.wait({task}, timeout=timeout)
        if not done:
            task.cancel()
            return Output(f"`{name}` took longer than {timeout:g} seconds and was given up", True)
        value = task.result()
        return value if isinstance(value, Output) else _output(value)
    except asyncio.CancelledError:
        if not task.done():
            task.cancel()
            raise
        return Output(f"`{name}` was cancelled", True)
    except (RetryError, ToolError) as error:
        sent_back = isinstance(error, RetryError)
        text = cut(message_of(error))
        return Output(text or f"`{name}` {'asks for another call' if sent_back else 'failed'}", True, sent_back)
    except Exception as error:  # whatever the handler raises is its result
        _log.info("the tool %s failed", name, exc_info=error)
        return Output(f"`{name}` failed: {described(error, show_exceptions)}", True)


async def _called(handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The value of a handler: a coroutine's result, or that of a function in a thread of its own."""
    try:
        if inspect.iscoroutinefunction(handler):
            return await handler(*args, **kwargs)
        value = await _in_thread(lambda: handler(*args, **kwargs))
        return await value if isinstance(value, Awaitable) else value
    except (Exception, asyncio.CancelledError):
        raise
    except BaseException as error:  # it would end the loop
        raise RuntimeError(described(error, True)) from None


async def _in_thread(function: Callable[[], Any]) -> Any:
    """The value of `function`, run in a daemon thread: one that never ends keeps no program from ending."""
    future: Future[Any] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(context.run(function))
        except StopIteration:
            future.set_exception(RuntimeError("StopIteration"))  # a future refuses to hold one
        except Exception as error:
            future.set_exception(error)
        except BaseException as error:  # SystemExit: it must not end the thread in silence
            future.set_exception(RuntimeError(described(error, True)))

    threading.Thread(target=work, name="toolect-tool", daemon=True).start()
    return await asyncio.wrap_future(future)


def _output(value: Any) -> Output:
    """A handler's value for the model: parts of a content as they are, images among them, all else as text."""
    if not are_parts(value):
        return Output(_text(value))
    text, media = read_parts(value if isinstance(value, list) else [value], "the value")
    return Output(cut(text), media=media)


def _text(value: Any) -> str:
    """A handler's value as text: a string as it is, else JSON. Raises `ToolError` for what JSON cannot say."""
    if isinstance(value, str):
        return cut(value)
    try:
        return cut(_written(value))
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        from pydantic_core import to_jsonable_python

        return cut(_written(to_jsonable_python(value)))  # models, data classes, dates, sets
    except Exception as error:  # pydantic has errors of its own
        why = described(error, True)
        raise ToolError(f"expected a value that JSON can say, got {type(value).__name__} ({why})") from None


def cut(text: str) -> str:
    """A text of at most `MAX_OUTPUT` characters, with a note where it was cut."""
    if len(text) <= MAX_OUTPUT:
        return text
    return f"{text[:MAX_OUTPUT]}… (cut: {len(text) - MAX_OUTPUT} more characters)"


def message_of(error: BaseException) -> str:
    """The text of an exception; nothing where making it fails."""
    try:
        return str(error).strip()
    except BaseException:
        return ""


def described(error: BaseException, with_text: bool) -> str:
    """An exception as a sentence: its class, and its text on demand."""
    name, text = type(error).__name__, message_of(error) if with_text else ""
    return f"{name}: {text[:2000]}" if text else name
