"""What a part of a chat is made of, found out from many texts of it: texts, places, and when each is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from toolect._spec.chat_model import OWN_GUARDS, ChatRole
from tools.chats.induction.chat_draft import Draft, InductionError, joined, quoted
from tools.chats.induction.known_words import Atoms
from tools.chats.induction.marker_tokens import common_end, common_start, tokens
from tools.chats.induction.told_facts import ITEM_FACTS, item_facts
from tools.chats.induction.which_facts import which
from tools.chats.induction.written_forms import (
    INLINE,
    MACROS,
    RULES,
    SLOTS,
    Example,
    Form,
    Macro,
    collapsed,
    items_of,
    numbered,
    ordered,
    split,
)  # fmt: skip

_FIRST = "TXOArscd"
"""The order in which places get the texts beside them that they always have."""


class Region:
    """Finds out one part of a chat; what it adds to the draft are rules that the part is made of."""

    def __init__(self, draft: Draft, name: str, macro: str = "") -> None:
        self.draft, self.name, self.macro = draft, name, macro

    def found(self, examples: Sequence[Example], openings: Sequence[str] = ()) -> str:
        """What the part is written by. Raises InductionError.

        `openings` are what asks for an answer: an answer begins with no more than one of them.
        """
        forms = [Form(one.facts, *split(collapsed(one.atoms, self.macro))) for one in examples]
        return self._optional(forms, openings)

    def _optional(self, forms: Sequence[Form], openings: Sequence[str] = ()) -> str:
        filled = [form for form in forms if form.texts != [""]]
        if not filled:
            return ""
        if len(filled) < len(forms):
            guard = self._guard([(form.facts, form.texts != [""]) for form in forms], self.name)
            body = self._written(filled, openings)
            return body if re.fullmatch(r"\w+\?", body) else self.draft.add(self.name, body, None, guard) + "?"
        return self._written(filled, openings)

    def _written(self, forms: Sequence[Form], openings: Sequence[str]) -> str:
        order = ordered([form.kinds for form in forms])
        rows = {kind: self._around(kind, forms) for kind in "AO" if kind in order}
        opener = "".join(common_start(tokens(form.texts[0]) for form in forms))
        if openings:
            begun = ("".join(common_start([tokens(opener), tokens(one)])) for one in openings)
            opener = max(begun, key=len)
        for form in forms:
            form.texts[0] = form.texts[0][len(opener) :]
        closer = "".join(common_end(tokens(form.texts[-1]) for form in forms))
        for form in forms:
            form.texts[-1] = form.texts[-1][: len(form.texts[-1]) - len(closer)]
        if self.name == "head" and any(form.texts == [""] for form in forms) and opener + closer:
            inner = Region(self.draft, "head")._optional(forms)
            return joined(quoted(opener), inner, quoted(closer))
        beside = rows | {kind: self._beside(kind, forms) for kind in _FIRST if kind in order and kind not in rows}
        parts = [quoted(opener)]
        parts += self._gap(forms, None)
        for kind in order:
            parts.append(self._place(kind, forms, beside.get(kind, ("", ""))))
            parts += self._gap(forms, kind)
        return joined(*parts, quoted(closer))

    def _beside(self, kind: str, forms: Sequence[Form]) -> tuple[str, str]:
        """The texts that a place always has before and behind it, taken from the forms."""
        held = [(form, form.kinds.index(kind)) for form in forms if kind in form.kinds]
        before = "".join(common_end(tokens(form.texts[at]) for form, at in held))
        for form, at in held:
            form.texts[at] = form.texts[at].removesuffix(before)
        after = "".join(common_start(tokens(form.texts[at + 1]) for form, at in held))
        for form, at in held:
            form.texts[at + 1] = form.texts[at + 1].removeprefix(after)
        return before, after

    def _around(self, kind: str, forms: Sequence[Form]) -> tuple[str, str]:
        """The texts around each of the things in a row, taken from the forms; nothing where none follow one another."""
        held = [(form, at) for form in forms for at, slot in enumerate(form.slots) if slot.kind == kind]
        rows = [slot for form in forms for slot in form.slots if isinstance(slot, Macro) and slot.kind == kind]
        middles = [text for row in rows for text in items_of(row.inner, kind)[1]]
        if not middles:
            return "", ""
        before = "".join(common_end(tokens(text) for text in [*middles, *(form.texts[at] for form, at in held)]))
        left = [text.removesuffix(before) for text in middles]
        after = "".join(common_start(tokens(text) for text in [*left, *(form.texts[at + 1] for form, at in held)]))
        for form, at in held:
            form.texts[at] = form.texts[at].removesuffix(before)
            form.texts[at + 1] = form.texts[at + 1].removeprefix(after)
        return before, after

    def _gap(self, forms: Sequence[Form], kind: str | None) -> list[str]:
        """What is written behind a place, or at the beginning."""
        texts = [form.after(kind) for form in forms]
        different = list(dict.fromkeys(texts))
        if len(different) == 1:
            return [quoted(different[0])]
        names = []
        for text in sorted(filter(None, different)):
            guard = self._guard([(form.facts, one == text) for form, one in zip(forms, texts, strict=True)], repr(text))
            names.append(self.draft.text(text, self.name, guard))
        whole = " | ".join(names)
        return [f"({whole})?" if len(names) > 1 else f"{names[0]}?"]

    def _place(self, kind: str, forms: Sequence[Form], beside: tuple[str, str]) -> str:
        held = [(form.facts, kind in form.kinds) for form in forms]
        if kind[0] in INLINE:
            if not all(label for _, label in held):
                raise InductionError(f"`{INLINE[kind[0]]}` is written now and then in `{self.name}`")
            return INLINE[kind[0]]
        if kind in MACROS:
            row = Row(self.draft, kind, beside, forms)
            if kind in "OA":
                return row.inline()
            name, body = MACROS[kind][1], row.inline()
            role: ChatRole | None = MACROS[kind][2]
        else:
            name, role = RULES[kind]
            beside = (self.draft.quote, self.draft.quote) if kind == "q" else beside
            body = joined(quoted(beside[0]), SLOTS.get(kind, "TEXT"), quoted(beside[1]))
        own = OWN_GUARDS.get(role, 0) if role else 0
        if own and all(label == bool(facts & own) for facts, label in held):
            return self.draft.add(name, body, role) + "?"
        return self.draft.add(name, body, role, self._guard(held, name)) + "?"

    def _guard(self, examples: Iterable[tuple[int, bool]], what: str) -> str:
        guard = which(examples)
        if guard is None:
            raise InductionError(f"when {what} is written in `{self.name}` is not plain to see")
        return guard


_ITEMS: dict[str, tuple[str, ChatRole]] = {
    "X": ("call", ChatRole.CALL), "O": ("result", ChatRole.RESULT), "A": ("argument", ChatRole.ARGUMENT),
    "T": ("tool", ChatRole.TOOL),
}  # fmt: skip


class Row:
    """Things in a row, as they stand in examples: what one is made of, and what is between, before and behind them."""

    def __init__(self, draft: Draft, kind: str, beside: tuple[str, str], forms: Sequence[Form]) -> None:
        self.draft, self.kind, self.beside = draft, kind, beside
        self.rows = [(form.facts, slot.inner) for form in forms for slot in form.slots if slot.kind == kind
                     and isinstance(slot, Macro)]  # fmt: skip

    def inline(self) -> str:
        """What all of them are written by."""
        before, after = self.beside
        parted = [(facts, *items_of(row, self.kind)) for facts, row in self.rows]
        middles = [text for _, _, texts in parted for text in texts]
        if not middles:
            opener, closer, gap = before, after, ""
            outer = ("", "")
        else:
            opener = "".join(common_end(map(tokens, [before, *middles])))
            left = [text.removesuffix(opener) for text in middles]
            closer = "".join(common_start(map(tokens, [after, *left])))
            gaps = {text.removeprefix(closer) for text in left}
            if len(gaps) > 1:
                raise InductionError(f"what stands between two of the {MACROS[self.kind][1]} differs")
            gap = gaps.pop()
            outer = before.removesuffix(opener), after.removeprefix(closer)
        inner = (
            self._tools(parted, opener, closer, gap) if self.kind == "T" else [self._rule(parted, opener, closer, gap)]
        )
        return joined(quoted(outer[0]), *inner, quoted(outer[1]))

    def _rule(self, parted: Sequence[tuple[int, list[Atoms], list[str]]], opener: str, closer: str, gap: str) -> str:
        name, role = _ITEMS[self.kind]
        examples = []
        for facts, items, _ in parted:
            for at, item in enumerate(items):
                own = facts & ~ITEM_FACTS | item_facts(item, at, len(items))
                examples.append(Example(own, (opener + str(item[0]), *item[1:-1], str(item[-1]) + closer)))
        examples = numbered(examples)
        body = Region(self.draft, name, "A" if self.kind == "X" else "").found(examples)
        if gap:
            body = f"{self.draft.text(gap, name, 'not first-item')}? {body}"
        return self.draft.add(name, body, role) + ("*" if self.kind == "A" else "+")

    def _tools(
        self, parted: Sequence[tuple[int, list[Atoms], list[str]]], opener: str, closer: str, gap: str
    ) -> list[str]:
        assert self.draft.tools is not None
        between = closer + gap + opener
        if self.draft.tools.each == "{tool}" and between.strip() not in ("", ","):
            return [self._rule(parted, opener, closer, gap)]
        self.draft.tools = replace(self.draft.tools, between=between)
        return [quoted(opener), "TOOLS", quoted(closer)]
