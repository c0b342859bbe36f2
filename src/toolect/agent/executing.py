"""Running a tool's handler: whatever happens is an output, nothing raises."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple

from toolect.agent.errors import Failed, Retry
from toolect.agent.tool import Handler

MAX_OUTPUT = 1 << 20
"""Characters of output that a result keeps. Beyond it: the rest is cut, and the cut is said."""


_written = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""A value as JSON text. Raises ValueError for numbers that JSON does not have, and what the encoder raises."""


class Output(NamedTuple):
    """What a handler gave, as text for the model; or why it was not asked."""

    text: str
    is_error: bool = False
    sent_back: bool = False
    """The tool asks for another call."""
    refused: bool = False
    """Nobody approved the call."""


async def output_of(
    name: str, handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any], timeout: float | None
) -> Output:
    """The output of a handler, within `timeout` seconds. Raises nothing but the cancellation of the task that waits."""
    task = asyncio.ensure_future(_called(handler, args, kwargs))
    task.add_done_callback(lambda done: done.cancelled() or done.exception())  # given up, it may fail in silence
    try:
        # Not wait_for: a handler that does not let itself be cancelled must not hold the agent up.
        done, _ = await asyncio.wait({task}, timeout=timeout)
        if not done:
            task.cancel()
            return Output(f"`{name}` took longer than {timeout:g} seconds and was given up", True)
        return Output(_text(task.result()))
    except asyncio.CancelledError:
        if not task.done():
            task.cancel()
            raise
        return Output(f"`{name}` was cancelled", True)
    except Retry as retry:
        return Output(str(retry) or f"`{name}` asks for another call", True, True)
    except Failed as failed:
        return Output(_cut(str(failed)) or f"`{name}` failed", True)
    except Exception as error:  # whatever the handler raises is its result
        return Output(f"`{name}` failed: {said(error)}", True)


async def _called(handler: Handler, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What a handler returns: a coroutine's result, or that of a function in a thread of its own."""
    try:
        if inspect.iscoroutinefunction(handler):
            return await handler(*args, **kwargs)
        value = await _in_thread(lambda: handler(*args, **kwargs))
        return await value if isinstance(value, Awaitable) else value
    except SystemExit as error:  # it would end the loop
        raise RuntimeError(f"SystemExit: {error}") from None


async def _in_thread(function: Callable[[], Any]) -> Any:
    """What `function` returns or raises, run in a daemon thread: one that never ends keeps no program from ending."""
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
            future.set_exception(RuntimeError(f"{type(error).__name__}: {error}"))

    threading.Thread(target=work, name="toolect-tool", daemon=True).start()
    return await asyncio.wrap_future(future)


def _text(value: Any) -> str:
    """A handler's value as text: a string as it is, else JSON. Raises ValueError for what JSON cannot say."""
    if isinstance(value, str):
        return _cut(value)
    try:
        return _cut(_written(value))
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        from pydantic_core import to_jsonable_python

        return _cut(_written(to_jsonable_python(value)))  # models, data classes, dates, sets
    except Exception as error:  # pydantic has errors of its own
        raise ValueError(f"expected a value that JSON can say, got {type(value).__name__} ({said(error)})") from None


def _cut(text: str) -> str:
    if len(text) <= MAX_OUTPUT:
        return text
    return f"{text[:MAX_OUTPUT]}… (cut: {len(text) - MAX_OUTPUT} more characters)"


def said(error: BaseException) -> str:
    """An exception as a sentence."""
    text = str(error).strip()
    name = type(error).__name__
    return f"{name}: {text[:2000]}" if text else name
