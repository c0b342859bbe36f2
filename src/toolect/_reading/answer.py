"""What a look ahead answers, in all of reading: yes, no, or that the text so far does not tell."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, TypeAlias


class Answer(Enum):
    """Whether what was looked for lies ahead."""

    YES = 1
    NO = 2
    WAIT = 3
    """More text is needed to know: never the answer to a text that is final."""


WAIT: Final = Answer.WAIT
Waiting: TypeAlias = Literal[Answer.WAIT]
"""Where the answer is not just yes or no: what was found, or that more text is needed."""
