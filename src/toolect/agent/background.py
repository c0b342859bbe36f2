"""Background event loop, in a thread of its own: coroutines for programs that are not asynchronous."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def finish(work: Coroutine[Any, Any, T]) -> T:
    """The value of `work`, or its error; an interrupted wait cancels it.

    It runs in a loop that all such waits share, so that connections last; also where another loop is running.
    """
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="toolect-background", daemon=True).start()
    return loop
