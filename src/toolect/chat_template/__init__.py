"""Which dialect a model's chat template writes: its turns, rendered in a sandbox, and how a dialect does on them."""

from toolect._renamed import old_names
from toolect.chat_template.sandbox import TemplateError
from toolect.chat_template.source import read_template, special_tokens, template_of
from toolect.chat_template.turn import Turn, turns
from toolect.chat_template.verdict import Difference, Verdict, judge, marked, verdicts

__all__ = [
    "Difference",
    "TemplateError",
    "Turn",
    "Verdict",
    "judge",
    "marked",
    "read_template",
    "special_tokens",
    "template_of",
    "turns",
    "verdicts",
]

__getattr__ = old_names(__name__)
