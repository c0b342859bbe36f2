"""Composite ids: the name of a tool and the number of the call in one text, `functions.{name}:{index}`."""

from __future__ import annotations


def split_ref(template: str, text: str) -> tuple[str, str]:
    """The name in a composite id, and the id itself: the inverse of `join_ref`."""
    before, _, after = template.partition("{name}")
    name = text[len(before) :] if before and text.startswith(before) else text
    if "{index}" in after:
        sign = after.partition("{index}")[0]
        head, found, index = name.rpartition(sign)
        if found and index.isdecimal():
            name = head
    return name, text


def join_ref(template: str, name: str, index: int) -> str:
    """The composite id of call number `index`."""
    return template.replace("{name}", name).replace("{index}", str(index))
