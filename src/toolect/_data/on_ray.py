"""A job on a cluster of Ray: Ray Data shares the units out, and gives them back in order; one process writes."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from toolect import _extras as extras
from toolect import registry
from toolect._data.chunk_results import ChunkResult, Piece, part_of_piece
from toolect._data.job import Runner

WAVE, HELD = 4096, 256 << 20
"""Units that are handed out at a time, and the bytes that they may carry. Beyond it: another wave follows."""


class Converter:
    """Converts units, in a process of the cluster. Such a process may die: what it had is done again elsewhere."""

    def __init__(self, known: registry.State, limit: int) -> None:
        registry.restore(known)
        self.limit = limit

    def __call__(self, batch: Any) -> Any:
        """A table of units as a table of their results."""
        import pyarrow  # type: ignore[import-untyped]

        parts = [
            pickle.dumps(part_of_piece(self.limit, pickle.loads(piece))) for piece in batch.column("piece").to_pylist()
        ]
        return pyarrow.table({"part": pyarrow.array(parts, pyarrow.large_binary())})


def on_ray(address: str = "", converter: type[Converter] = Converter) -> Runner:
    """A runner on the cluster at `address`, or on one of this machine. Raises MissingExtraError."""
    try:
        import ray  # type: ignore[import-not-found,unused-ignore]
        import ray.data  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise extras.MissingExtraError("ray", "ray") from None
    if not ray.is_initialized():
        ray.init(address=address or None, log_to_driver=False, **({} if address else {"include_dashboard": False}))
    return partial(_run, converter)


def _run(
    converter: type[Converter], work: Iterator[Piece], jobs: int, limit: int
) -> Iterator[tuple[Piece, ChunkResult]]:
    import ray.data  # type: ignore[import-not-found,unused-ignore]

    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    for wave in _waves(work):
        # Half a core each: units are read by the cluster, too, and must find a place beside them.
        data = ray.data.from_items(
            [{"piece": pickle.dumps(piece)} for piece in wave], override_num_blocks=len(wave)
        ).map_batches(
            converter, fn_constructor_args=(registry.state(), limit), batch_size=1, batch_format="pyarrow",
            compute=ray.data.ActorPoolStrategy(size=min(jobs, len(wave))), num_cpus=0.5,
        )  # fmt: skip
        rows = (row for batch in data.iter_batches(batch_size=1, batch_format="pyarrow") for row in batch.to_pylist())
        for piece, row in zip(wave, rows, strict=True):
            yield piece, pickle.loads(row["part"])


def _waves(work: Iterable[Piece]) -> Iterator[list[Piece]]:
    """The units in groups."""
    wave: list[Piece] = []
    held = 0
    for piece in work:
        wave.append(piece)
        held += len(piece[0].data)
        if len(wave) == WAVE or held > HELD:
            yield wave
            wave, held = [], 0
    if wave:
        yield wave
