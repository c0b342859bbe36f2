"""Rows for trainers: one text to learn from, or several packed into one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from toolect._tokens.encoded_text import Encoded

IGNORED = -100
"""The label of an id that is not taught."""


@dataclass(frozen=True, slots=True)
class Example:
    """One text to learn from: its ids, the label of each (`IGNORED` where it is not taught), and the weight."""

    ids: list[int]
    labels: list[int]
    weights: list[float]
    answers: tuple[int, ...]
    """The numbers of the turns that are taught here."""
    encoded: Encoded
    reason: str = ""
    """Why it ends here, and what follows is another example; empty for the last one."""

    def columns(self) -> dict[str, list[int]]:
        """A row as trainers take it that is tokenized already."""
        return {
            "input_ids": self.ids,
            "attention_mask": [1] * len(self.ids),
            "labels": self.labels,
            "assistant_masks": [int(label != IGNORED) for label in self.labels],
        }

    def segments(self) -> list[dict[str, Any]]:
        """The text in stretches that are taught and such that are not, each a `label` and a `text`."""
        found: list[dict[str, Any]] = []
        for (start, end), label in zip(self.encoded.spans, self.labels, strict=True):
            taught = label != IGNORED
            start = max(start, found[-1]["end"]) if found else 0
            if found and found[-1]["label"] == taught:
                found[-1]["end"] = max(end, start)
            else:
                found.append({"label": taught, "start": start, "end": max(end, start)})
        text = self.encoded.text
        return [{"label": one["label"], "text": text[one["start"] : one["end"]]} for one in found]


@dataclass(frozen=True, slots=True)
class Packed:
    """Several examples as one row: `positions` begin again with each, `lengths` are theirs."""

    ids: list[int]
    labels: list[int]
    weights: list[float]
    positions: list[int]
    lengths: list[int]


def pack(rows: Iterable[Example], length: int) -> list[Packed]:
    """Examples as rows of at most `length` ids, in their order. Raises ValueError for one that is longer."""
    found: list[Packed] = []
    for number, row in enumerate(rows):
        size = len(row.ids)
        if size > length:
            raise ValueError(f"expected examples of at most {length:,} ids, got {size:,} in example {number}")
        if not found or len(found[-1].ids) + size > length:
            found.append(Packed([], [], [], [], []))
        last = found[-1]
        last.ids.extend(row.ids)
        last.labels.extend([IGNORED, *row.labels[1:]][:size])  # the first id of an example follows nothing
        last.weights.extend([0.0, *row.weights[1:]][:size])
        last.positions.extend(range(size))
        last.lengths.append(size)
    return found
