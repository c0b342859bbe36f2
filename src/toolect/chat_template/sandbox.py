"""A process that renders chat templates for this one: bounded in time and memory, kept for several renderings."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from typing import IO

from toolect._errors import ToolectError
from toolect._message import Json

SECONDS = 10.0
"""Seconds of processor time that all renderings of a chat template may take at one time. Beyond it: `TemplateError`.

Starting the process does not count.
"""
PATIENCE = 10
"""Multiple of `SECONDS` that they may take by the clock, where the machine is busy. Beyond it: `TemplateError`."""
MEMORY = 1 << 30
"""Bytes of memory that a chat template may take, where the system knows such a bound. Beyond it: `TemplateError`."""
JOBS = 1_000
"""Jobs that one process does. Beyond it: another one goes on."""


class TemplateError(ToolectError, ValueError):
    """Something is no chat template, or does not render; one sentence."""


class Sandbox:
    """Renders templates of one origin in a process that is started when it is needed, and anew after a failure.

    It ends with the sandbox, and with the program. Safe to share between threads, which take turns.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._jobs = self._owner = 0
        self._end: weakref.finalize[..., Sandbox] | None = None

    def run(
        self,
        template: str,
        renders: Sequence[dict[str, Json]],
        seconds: float = SECONDS,
        strict: bool = False,
        day: str = "",
    ) -> list[str | TemplateError]:
        """The text of each rendering, or its error. Raises TemplateError for an error of all of them.

        With `strict` a template may do no more than model hubs let it: it changes no lists, and writes no iterator as
        JSON. `day` is the date that it sees, in ISO's form or as the text that it writes; today's without one.
        """
        options: dict[str, Json] = {"seconds": seconds, "strict": strict, "day": day}
        job = json.dumps({"template": template, "renders": list(renders), **options}).encode() + b"\n"
        with self._lock:
            answer = self._ask(job, seconds)
            try:
                results: list[dict[str, str]] = json.loads(answer)
            except ValueError:
                self.close()
                reason = f"expected a template that renders in {MEMORY >> 20} MiB, got one that dies of it"
                raise TemplateError(reason) from None
        if fatal := results[0].get("fatal") if results else None:
            raise TemplateError(fatal)
        return [TemplateError(one["error"]) if "error" in one else one["text"] for one in results]

    def close(self) -> None:
        """End the process, if there is one."""
        if self._end is not None:
            self._end()
        self._process = self._end = None

    def _ask(self, job: bytes, seconds: float) -> bytes:
        """The output line of the process for a job; empty when it has died of the job."""
        process = self._process
        tired = self._jobs >= JOBS or self._owner != os.getpid()
        if process is None or tired or process.poll() is not None:
            self.close()
            process = self._start()
        assert process.stdin is not None
        self._jobs += 1
        try:
            process.stdin.write(job)
            process.stdin.flush()
            answer = self._answers.get(timeout=seconds * PATIENCE)
        except queue.Empty:
            self.close()
            raise _endless(seconds) from None
        except OSError:
            return b""
        if not answer and process.wait() == -_TIME_IS_UP:
            raise _endless(seconds)
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-P", "-c", f"from toolect.chat_template.child import main; main({MEMORY})"]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        assert process.stdout is not None
        self._process, self._answers, self._jobs = process, queue.SimpleQueue(), 0
        self._owner = os.getpid()
        threading.Thread(target=_listen, args=(process.stdout, self._answers), daemon=True).start()
        self._end = weakref.finalize(self, _stop, process, self._owner)
        return process


def _endless(seconds: float) -> TemplateError:
    return TemplateError(f"expected a template that renders in {seconds:g} s, got one that does not end")


_TIME_IS_UP = getattr(signal, "SIGPROF", 0)
"""The signal that ends a process whose template has had its time."""


def _listen(stream: IO[bytes], answers: queue.SimpleQueue[bytes]) -> None:
    """Pass on each line, and an empty one at the end."""
    with stream:
        for line in stream:
            answers.put(line)
    answers.put(b"")


def _stop(process: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() != owner:  # a fork of the program that has the process
        return
    process.kill()
    process.wait()
    if process.stdin is not None:
        try:
            process.stdin.close()
        except OSError:  # what was not written yet has nobody left to read it
            pass


def run(
    template: str, renders: Sequence[dict[str, Json]], seconds: float = SECONDS, strict: bool = False, day: str = ""
) -> list[str | TemplateError]:
    """Render with `Sandbox.run` in a process for this alone."""
    sandbox = Sandbox()
    try:
        return sandbox.run(template, renders, seconds, strict, day)
    finally:
        sandbox.close()
