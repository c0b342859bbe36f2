"""Renders chat templates in a process of its own, which reads jobs from standard input and writes their results.

Templates are programs of strangers. They run in jinja2's sandbox, which bars them from the interpreter; the process
bounds what the sandbox does not: time and memory.
"""

from __future__ import annotations

import copy
import json
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any

from toolect import _extras as extras
from toolect._message import Json

LENGTH = 1 << 20
"""Characters that a chat template may write. Beyond it: `TemplateError`."""


def main(memory: int) -> None:
    """Reads a job from each line, and writes a line with its results; a template's own failure is a result too."""
    with suppress(ImportError):  # which is sent each job; loading it is none of a template's time
        import jinja2.sandbox  # noqa: F401
    for line in sys.stdin.buffer:
        job: dict[str, Any] = json.loads(line)
        _bound(job["seconds"], memory)
        try:
            results = _render(job["template"], job["renders"], job["strict"], job["day"])
        except ImportError:
            results = [{"fatal": extras.missing("jinja2", "template", "to render the template")}]
        _bound(0, memory)  # no bound, until the next job
        sys.stdout.write(json.dumps(results) + "\n")
        sys.stdout.flush()


def _bound(seconds: float, memory: int) -> None:
    """Bound the memory of the process, and the processor time of its next job: a signal ends it."""
    try:
        import resource
    except ImportError:  # no such bounds on this system: the caller's clock remains
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _render(source: str, renders: list[dict[str, Json]], hub: bool, day: str) -> list[dict[str, str]]:
    from jinja2 import TemplateSyntaxError
    from jinja2.exceptions import SecurityError

    results = []
    try:
        strict, loose = _compiled(source, hub, day)
    except TemplateSyntaxError as error:
        return [{"fatal": f"expected a jinja template, got: {_line(error)} at line {error.lineno}"}]
    except Exception as error:  # whatever a template does wrong is its own affair
        return [{"fatal": f"expected a jinja template, got {type(error).__name__}: {_line(error)}"}]
    for variables in renders:
        try:
            try:
                text = strict.render(**copy.deepcopy(variables))
            except SecurityError:  # some templates change lists of their own, which harms nobody in here
                text = loose.render(**variables)
            if len(text) > LENGTH:
                raise ValueError(f"the text is longer than {LENGTH} characters")
            results.append({"text": text})
        except Exception as error:
            results.append({"error": f"the template raises {type(error).__name__}: {_line(error)}"})
    return results


@lru_cache(maxsize=4)
def _compiled(source: str, hub: bool, day: str) -> tuple[Any, Any]:
    """The template that may change nothing, and the one that may change lists of its own."""
    from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment

    strict = environment(ImmutableSandboxedEnvironment, hub, day).from_string(source)
    return strict, strict if hub else environment(SandboxedEnvironment, hub, day).from_string(source)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".")


def environment(kind: Any, hub: bool, day: str) -> Any:
    """The environment that model hubs render chat templates in."""
    import datetime

    from jinja2 import TemplateError, nodes
    from jinja2.ext import Extension

    class Generation(Extension):
        """`{% generation %}…{% endgeneration %}` marks the model's own words, and writes what is inside."""

        tags = {"generation"}  # noqa: RUF012  # jinja2's protocol

        def parse(self, parser: Any) -> nodes.Node | list[nodes.Node]:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body).set_lineno(line)

    def tojson(value: Json, **options: Json) -> str:
        return json.dumps(
            value, ensure_ascii=options.pop("ensure_ascii", False), default=None if hub else items, **options
        )

    def items(value: object) -> list[Json]:
        """Return the items of a filter's iterator; nothing else of Python's own is JSON."""
        if isinstance(value, Iterator):
            return list(value)
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")

    def strftime_now(form: str) -> str:
        try:
            return (datetime.datetime.fromisoformat(day) if day else datetime.datetime.now()).strftime(form)
        except ValueError:
            return day

    def raise_exception(message: str) -> None:
        raise TemplateError(message)

    environment = kind(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", Generation], autoescape=False
    )
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = strftime_now
    return environment
