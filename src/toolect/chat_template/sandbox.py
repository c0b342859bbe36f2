"""Renders a chat template in a process of its own, which reads a job from standard input and writes its results.

Templates are programs of strangers. They run in jinja2's sandbox, which bars them from the interpreter; the process
bounds what the sandbox does not: time and memory. `run` is the caller's side, `main` the other one.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from toolect import _extras as extras
from toolect.message import Json

SECONDS = 10.0
"""Seconds that all renderings of a chat template may take. Beyond it: `BadTemplate`."""
MEMORY = 1 << 30
"""Bytes of memory that a chat template may take, where the system knows such a bound. Beyond it: `BadTemplate`."""
LENGTH = 1 << 20
"""Characters that a chat template may write. Beyond it: `BadTemplate`."""


class BadTemplate(ValueError):
    """Something is no chat template, or does not render; one sentence."""


def run(
    template: str, renders: Sequence[dict[str, Json]], seconds: float = SECONDS, strict: bool = False, day: str = ""
) -> list[str | BadTemplate]:
    """The text of each rendering, or what is wrong with it. Raises BadTemplate for what spoils them all.

    With `strict` a template may do no more than model hubs let it: it changes no lists, and writes no iterator as JSON.
    `day` is the date that it is told, in ISO's form or as the text that it writes; today's without one.
    """
    options: dict[str, Json] = {"seconds": seconds, "strict": strict, "day": day}
    job = json.dumps({"template": template, "renders": list(renders), **options}).encode()
    try:
        command = [sys.executable, "-P", "-c", f"from {__name__} import main; main()"]
        done = subprocess.run(command, input=job, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise BadTemplate(f"expected a template that renders in {seconds:g} s, got one that does not end") from None
    try:
        results: list[dict[str, str]] = json.loads(done.stdout)
    except ValueError:
        raise BadTemplate(f"expected a template that renders in {MEMORY >> 20} MiB, got one that dies of it") from None
    if fatal := results[0].get("fatal") if results else None:
        raise BadTemplate(fatal)
    return [BadTemplate(one["error"]) if "error" in one else one["text"] for one in results]


def main() -> None:
    """Reads a job, writes its results; a template's own failure is a result too."""
    job: dict[str, Any] = json.load(sys.stdin)
    _bound(job["seconds"])
    try:
        results = _render(job["template"], job["renders"], job["strict"], job["day"])
    except ImportError:
        results = [{"fatal": extras.missing("jinja2", "template", "to render the template")}]
    json.dump(results, sys.stdout)


def _bound(seconds: float) -> None:
    try:
        import resource
    except ImportError:  # no such bounds on this system: the caller's clock remains
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))


def _render(source: str, renders: list[dict[str, Json]], hub: bool, day: str) -> list[dict[str, str]]:
    from jinja2 import TemplateSyntaxError
    from jinja2.exceptions import SecurityError
    from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment

    results = []
    try:
        strict = environment(ImmutableSandboxedEnvironment, hub, day).from_string(source)
        loose = strict if hub else environment(SandboxedEnvironment, hub, day).from_string(source)
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
        """What a filter yields one by one; nothing else of Python's own is JSON."""
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
