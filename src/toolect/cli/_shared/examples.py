"""An example or two of each command, for its help."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "parse": (
        "toolect parse answer.txt",
        "toolect parse corpus.jsonl --from hermes --format openai > messages.jsonl",
    ),
    "render": ("toolect parse answer.txt | toolect render --to qwen3-coder",),
    "convert": (
        "toolect convert answer.txt --to qwen3-coder",
        "toolect convert corpus.jsonl --to kimi-k2 > converted.jsonl",
    ),
    "detect": ("toolect detect answer.txt", "toolect detect --model unsloth/Qwen3-8B-GGUF"),
    "list": ("toolect list qwen",),
    "show": ("toolect show hermes", "toolect show hermes answer.txt --tree"),
    "lint": ("toolect lint my.yaml", "toolect lint --explain missing-case"),
    "new": ("toolect new harbour harbour.txt",),
    "generate": ("toolect generate hermes -n 3 --format text",),
    "coverage": ("toolect coverage corpus.jsonl",),
    "run": ("toolect run answer.txt --tools tools.py",),
    "agent": ('toolect agent "High tide in Brest?" --tools tools.py --url http://localhost:8000/v1 --model my-model',),
    "completion": ("toolect completion bash --install",),
}
"""Command lines by the command that they show."""


def shown(name: str) -> str:
    """The examples of a command, as its help ends; empty for what is no command."""
    lines = EXAMPLES.get(name, ())
    return "\b\n" + "\n".join([f"Example{'s' * (len(lines) > 1)}:", *(f"  {line}" for line in lines)]) if lines else ""
