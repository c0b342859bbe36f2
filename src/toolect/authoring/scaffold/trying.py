"""How long drafts are tried: what is told of it, and when it is enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Trying:
    """Counts the drafts that are tried, tells the number of each, and says when the time is over."""

    def __init__(self, tell: Callable[[int], None] | None = None, seconds: float | None = None) -> None:
        self.seconds = seconds
        """Processor time; None without a bound."""
        self._tell, self._tried = tell, 0
        self._begun = time.process_time()

    def one_more(self) -> None:
        """Another draft is tried."""
        self._tried += 1
        if self._tell is not None:
            self._tell(self._tried)

    @property
    def over(self) -> bool:
        """True when no more of them are to be tried."""
        return self.seconds is not None and time.process_time() - self._begun > self.seconds


_CURRENT: ContextVar[Trying] = ContextVar("trying", default=Trying())  # noqa: B039  (it counts for nobody)


def current() -> Trying:
    """What counts the drafts here."""
    return _CURRENT.get()


@contextmanager
def trying(tell: Callable[[int], None] | None, seconds: float) -> Iterator[None]:
    """What is tried inside is told, and comes to an end after so much processor time, with the best found so far."""
    token = _CURRENT.set(Trying(tell, seconds))
    try:
        yield
    finally:
        _CURRENT.reset(token)
