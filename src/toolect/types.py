"""Types that signatures of toolect mention, for annotations; what makes their values is in the package itself."""

from toolect._authoring.generate.samples import Sample
from toolect._chat_completion import Ids
from toolect._chats.continuing import Beginning, Rewritten, Written
from toolect._chats.grammar_chat import Chat, Check, Converted, RenderedConversation
from toolect._chats.template_chat import TemplateChat
from toolect._chats.transcript_reader import Course
from toolect._chats.transcript_writer import Unsafe
from toolect._chats.turn_facts import Thinking
from toolect._compiled import Mode, ToolPrompts, Tools
from toolect._conversion import Conversion, Loss
from toolect._data.converting import Seen
from toolect._detection.auto import Auto, AutoStream
from toolect._detection.mixed import MixedMessage
from toolect._detection.ranking import Detection
from toolect._diagnostic import Diagnostic
from toolect._events import AsyncEventStream, Event, EventStream
from toolect._exchange.sent_calls import EventReader
from toolect._explanation import Place
from toolect._message import Json, Said, Segment, Span, Violation
from toolect._names import Match
from toolect._rendered import Part, PartSpan
from toolect._spec.model import Spec
from toolect._spec.policies import ReadingPolicies
from toolect._tokens.answer_parts import AnswerReader
from toolect._tokens.token_stream import Markers
from toolect._training.taught_ids import Taught
from toolect._transcript import Origin, OriginSpan, Transcript
from toolect._validation import SchemaError
from toolect.chat_template.probes import Style, TemplateProbe

__all__ = [
    "AnswerReader",
    "AsyncEventStream",
    "Auto",
    "AutoStream",
    "Beginning",
    "Chat",
    "Check",
    "Conversion",
    "Converted",
    "Course",
    "Detection",
    "Diagnostic",
    "Event",
    "EventReader",
    "EventStream",
    "Ids",
    "Json",
    "Loss",
    "Markers",
    "Match",
    "MixedMessage",
    "Mode",
    "Origin",
    "OriginSpan",
    "Part",
    "PartSpan",
    "Place",
    "ReadingPolicies",
    "RenderedConversation",
    "Rewritten",
    "Said",
    "Sample",
    "SchemaError",
    "Seen",
    "Segment",
    "Span",
    "Spec",
    "Style",
    "Taught",
    "TemplateChat",
    "TemplateProbe",
    "Thinking",
    "ToolPrompts",
    "Tools",
    "Transcript",
    "Unsafe",
    "Violation",
    "Written",
]  # fmt: skip
