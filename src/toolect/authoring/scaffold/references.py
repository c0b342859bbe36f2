"""Ids that hold the name of the tool: `functions.get_forecast:0`."""

from __future__ import annotations

import re
from itertools import takewhile

from toolect.authoring.scaffold.dialect_draft import Draft
from toolect.authoring.scaffold.pieces import Hole, Token
from toolect.authoring.scaffold.seen import tokens

_SIGN = re.compile(r"[^\w\s<>\"'(){}\[\]]{1,3}")
"""What stands between the name and the number."""
_PREFIX = re.compile(r"[\w.:/-]*\Z")
"""What an id begins with, before the name."""


def referring(draft: Draft) -> Draft:
    """The draft with the number of a call for an id; and with the name in it, where the number stands behind that."""
    call = draft.call
    for at, (hole, sign, number) in enumerate(zip(call, call[1:], call[2:], strict=False)):
        if hole is Hole.NAME and number is Hole.COUNT and _SIGN.fullmatch(sign):
            texts = [*takewhile(lambda token: not isinstance(token, Hole), reversed(call[:at]))][::-1]
            lead = "".join(texts)
            match = _PREFIX.search(lead)
            prefix = match[0] if match else ""
            before: list[Token] = [*call[: at - len(texts)], *tokens(lead.removesuffix(prefix))]
            form = f"{prefix}{{name}}{sign}{{index}}"
            return draft._replace(call=(*before, Hole.REF, *call[at + 3 :]), reference=form)
    return draft._replace(call=tuple(Hole.ID if token is Hole.COUNT else token for token in call))
