"""An agent traced with OpenTelemetry, by its conventions for generative models.

A run is a span, with one for each request to the model and each tool inside of it. Here the spans are printed; a real
program gives its provider an exporter. The model is a script, so that the program runs anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from toolect.agent import Agent, Ended, ModelStep, RunStep, Step, ToolStep, Turn, Usage

tracer = trace.get_tracer("harbour")


@contextmanager
def traced(step: Step) -> Iterator[None]:
    """A span for a step of a run."""
    match step:
        case RunStep():
            operation, what, kind = "invoke_agent", "harbour", trace.SpanKind.INTERNAL
            attributes: dict[str, Any] = {"gen_ai.agent.name": what}
        case ModelStep(name):
            operation, what, kind = "chat", name, trace.SpanKind.CLIENT
            attributes = {"gen_ai.provider.name": "vllm", "gen_ai.request.model": name}
        case ToolStep(call, call_id):
            operation, what, kind = "execute_tool", call.name, trace.SpanKind.INTERNAL
            attributes = {"gen_ai.tool.name": what, "gen_ai.tool.type": "function", "gen_ai.tool.call.id": call_id}
    attributes["gen_ai.operation.name"] = operation
    with tracer.start_as_current_span(f"{operation} {what}", kind=kind, attributes=attributes) as span:
        try:
            yield
        except Exception as error:
            span.set_attribute("error.type", type(error).__qualname__)
            raise
        match step:
            case RunStep(result=result) if result:
                spent(span, result.usage)
            case ModelStep(ended=ended) if ended:
                spent(span, ended.usage)
                span.set_attribute("gen_ai.response.finish_reasons", [ended.finish or "stop"])
                span.set_attribute("gen_ai.response.model", ended.model or step.name)
            case ToolStep(result=result) if result and result.is_error:
                span.set_attribute("error.type", "tool_error")
                span.set_status(trace.StatusCode.ERROR, result.output)


def spent(span: trace.Span, usage: Usage) -> None:
    """Note what a step cost."""
    span.set_attribute("gen_ai.usage.input_tokens", usage.input_tokens)
    span.set_attribute("gen_ai.usage.output_tokens", usage.output_tokens)


def tide(port: str) -> str:
    """Tells when the tide is low."""
    if port == "Oslo":
        raise LookupError("there is no tide in Oslo")
    return "04:10"


class Script:
    """Calls the tool twice, and then answers."""

    name, dialect = "Qwen/Qwen3-8B", "hermes"

    async def __call__(self, turns: list[Turn], _: list[dict[str, Any]]) -> Any:
        """Yields the text of an answer, and what it cost."""
        if len(turns) > 1:
            yield "At 04:10 in Brest; Oslo has no tide."
            yield Ended("stop", Usage(180, 12, 1), self.name)
            return
        for port in ("Brest", "Oslo"):
            yield f'<tool_call>\n{{"name": "tide", "arguments": {{"port": "{port}"}}}}\n</tool_call>\n'
        yield Ended("tool_calls", Usage(120, 40, 1), self.name)


def shown(span: ReadableSpan, spans: tuple[ReadableSpan, ...], depth: int = 0) -> Iterator[str]:
    """A span and those inside of it, with what they say; ids are left out."""
    said = {key: value for key, value in sorted((span.attributes or {}).items()) if not key.endswith(".id")}
    yield "    " * depth + span.name
    yield from (f"{'    ' * depth}  {key.removeprefix('gen_ai.')} = {value}" for key, value in said.items())
    inner = [one for one in spans if one.parent and span.context and one.parent.span_id == span.context.span_id]
    for one in sorted(inner, key=lambda one: (one.start_time or 0, one.name)):
        yield from shown(one, spans, depth + 1)


def main() -> None:
    """Ask one question, and print its trace."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    print(Agent(Script(), [tide], around=traced).run_sync("When is low tide in Brest, and in Oslo?"), "\n")
    spans = exporter.get_finished_spans()
    print("\n".join(shown(next(span for span in spans if span.parent is None), spans)))


if __name__ == "__main__":
    main()
