"""Cells of Arrow tables as JSON values: times, dates and durations never become values of Python, which hold fewer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

import msgspec

from toolect._message import Json


def rows_of(batch: Any, wanted: Sequence[int], typed: bool = False) -> Iterator[dict[str, Json]]:
    """The rows of a record batch, with these of its columns; of two of one name the second one gets another.

    A time is its text or, if the types of columns are kept elsewhere (`typed`), the number that Arrow has for it.
    """
    names = unique(batch.schema.names)
    columns = [msgspec.to_builtins(_cells(batch.column(at), typed).to_pylist()) for at in wanted]
    for values in zip(*columns, strict=True):
        yield dict(zip((names[at] for at in wanted), values, strict=True))


def unique(names: Sequence[str]) -> list[str]:
    """The names of columns, each once: `a`, `a_2` for two columns `a`."""
    found: list[str] = []
    taken = {*names}
    for name in names:
        if name in found:
            name = next(other for n in count(2) if (other := f"{name}_{n}") not in taken)
            taken.add(name)
        found.append(name)
    return found


def unpacked_size(array: Any) -> int:
    """The bytes of an array whose values stand each for itself, as they will in Python, at least one for each; or more.

    In dictionaries, runs and views one value stands for any number of them.
    """
    from pyarrow import compute, types  # type: ignore[import-untyped]

    kind, count = array.type, len(array)
    if types.is_dictionary(kind):
        if not any(is_text(kind.value_type) for is_text in (types.is_string, types.is_large_string, types.is_binary)):
            return count * (1 + unpacked_size(array.dictionary))
        return count + (compute.sum(compute.binary_length(array.dictionary).take(array.indices)).as_py() or 0)
    if types.is_run_end_encoded(kind):
        return count * (1 + unpacked_size(array.values))
    if types.is_string_view(kind) or types.is_binary_view(kind):  # four numbers each, of which the first is the length
        return count + sum(memoryview(array.buffers()[1]).cast("i")[4 * array.offset : 4 * (array.offset + count) : 4])
    if types.is_list_view(kind) or types.is_large_list_view(kind):
        return count + (compute.sum(compute.list_value_length(array)).as_py() or 0) * unpacked_size(array.values)
    if types.is_struct(kind):
        return count + sum(map(unpacked_size, array.flatten()))
    if types.is_map(kind):
        start, end = (array.offsets[at].as_py() for at in (0, count))
        return count + sum(unpacked_size(part.slice(start, end - start)) for part in (array.keys, array.items))
    if types.is_nested(kind) and not types.is_union(kind):
        return count + unpacked_size(array.flatten())
    return count + int(array.nbytes)


def is_time(kind: Any) -> bool:
    """True for a type of times, dates or durations."""
    from pyarrow import types

    return types.is_temporal(kind) and not types.is_interval(kind)


def times_of(values: Sequence[int | None], kind: Any) -> Any:
    """An array of times out of the numbers that Arrow has for them."""
    import pyarrow as pa

    return pa.array(values, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)


def _cells(array: Any, typed: bool) -> Any:
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if typed and is_time(array.type):
        return array.view(_number(array.type))
    if (named := _with(array.type, lambda kind: kind)) is not array.type:
        array = array.view(named)
    for leaf in (lambda kind: pa.string() if is_time(kind) else kind), _number:
        if (kind := _with(array.type, leaf)) is array.type:
            break
        with suppress(pa.ArrowException):  # nobody knows the time zone
            return array.cast(kind)
    return array


def _number(kind: Any) -> Any:
    """The type of the numbers that Arrow has for times; any other type as it is."""
    import pyarrow as pa

    return kind if not is_time(kind) else pa.int32() if kind.bit_width == 32 else pa.int64()


def _with(kind: Any, leaf: Callable[[Any], Any]) -> Any:
    """The type with other types in it, and one field of each name in an object; the same object where none changes."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_struct(kind):
        old = [(field.name, field.type) for field in kind]
        new = [*zip(unique([name for name, _ in old]), (_with(of, leaf) for _, of in old), strict=True)]
        same = all(name == other and of is now for (name, of), (other, now) in zip(old, new, strict=True))
        return kind if same else pa.struct(new)
    if types.is_map(kind):
        key, item = _with(kind.key_type, leaf), _with(kind.item_type, leaf)
        return kind if key is kind.key_type and item is kind.item_type else pa.map_(key, item)
    inner = getattr(kind, "value_type", None)  # of lists of all kinds, and of dictionaries
    if inner is None:
        return leaf(kind)
    new = _with(inner, leaf)
    if new is inner or types.is_dictionary(kind):
        return kind if new is inner else new
    if types.is_fixed_size_list(kind):
        return pa.list_(new, kind.list_size)
    return pa.large_list(new) if types.is_large_list(kind) else pa.list_(new)
