"""How many templates a chat is found for, held against conversations that the chat was not made of.

    python -m tools.chats.induced_chats [--template PATTERN] [--count N] [--known] [--differences]

Every template of `original_templates` is taken as one that nobody knows: no chat is tried on it, and no way of telling
tools is taken from one; dialects are those that are known. What is found is rendered beside the template as in
`compare_chats`. With `--known` chats are tried first, as `new_chat` does. Exit code 0.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from toolect import registry
from toolect._authoring.generate.random_conversations import ChatCase
from toolect._chats import chat_registry
from toolect._chats.verbs import Chat
from toolect._compiled import Dialect
from toolect._message import MessageError
from toolect._rendered import RenderError
from toolect.chat_template import TemplateError, marked, turns, verdicts
from tools.chats.compare_chats import RefusedError, compare, shown
from tools.chats.compared import SHARE, Compared
from tools.chats.induction.chat_draft import InductionError
from tools.chats.induction.proposing import Proposal, proposed, spellings_of
from tools.chats.induction.template_asking import Template as Asked
from tools.chats.original_templates import Template, templates


class Found(NamedTuple):
    """What was found for a template, and how it does beside it; without a proposal `wrong` says why."""

    template: Template
    proposal: Proposal | None = None
    compared: Compared | None = None
    wrong: str = ""

    @property
    def untold(self) -> bool:
        """True where nothing differs but conversations with tools."""
        return self.compared is not None and all(one.case.conversation.tools for one in self.compared.differences)


def found(template: Template, seed: int, count: int, known: bool) -> Found:
    """What is found for a template."""
    original = template.original
    variables = {"bos_token": original.bos_token, "eos_token": original.eos_token}
    names = chat_registry.chats() if known else []
    try:
        asked = Asked(template.text, variables, spellings_of(names))
    except TemplateError as error:
        return Found(template, wrong=str(error))
    try:
        proposal = proposed(asked, "new", Path("new.chats.yaml"), dialect_of(template), None if known else ())
    except (InductionError, TemplateError) as error:
        return Found(template, wrong=str(error))
    finally:
        asked.close()
    chat = proposal.chat or chat_registry.chat(proposal.known)
    return Found(template, proposal, compare(template, chat.name, lambda case: _rendered(chat, case), seed, count))


def dialect_of(template: Template) -> Dialect | None:
    """The dialect that does best on a template."""
    try:
        styles = turns(template.text)
    except TemplateError:
        return None
    best = verdicts(marked(styles), styles)[:1]
    return registry.dialect(best[0].dialect) if best else None


def _rendered(chat: Chat, case: ChatCase) -> str:
    try:
        return str(
            chat.render(case.conversation, case.generate, thinking=case.thinking, date=date.today(), unsafe="keep")
        )
    except (RenderError, MessageError) as error:
        raise RefusedError(str(error)) from None


def row(one: Found) -> str:
    """A line of the table."""
    if one.compared is None or one.proposal is None:
        return f"| {one.template.name} | | | | {one.wrong[:120]} |"
    count = one.compared.same + one.compared.refused
    tried = one.proposal.tried
    notes = "; ".join(one.proposal.notes)[:120]
    claimed = "yes" if tried.sound else "no"
    return f"| {one.template.name} | {count} | {tried.read} of {tried.written} | {claimed} | {notes} |"


def summary(all_found: Sequence[Found], count: int) -> Iterator[str]:
    """How many agree, how many without tools, and how many were claimed that do not."""
    compared = [one for one in all_found if one.compared is not None and not one.compared.wrong]
    agree = [one for one in compared if one.compared is not None and one.compared.agrees]
    untold = [one for one in compared if one.untold]
    claimed = [one for one in compared if one.proposal is not None and one.proposal.tried.sound]
    wrong = [one.template.name for one in claimed if one not in agree]
    yield f"{len(all_found)} templates, {count} conversations each: a chat for {len(compared)}"
    yield f"{len(agree)} agree on {SHARE:.0%} or more, {len(untold)} on all that have no tools"
    yield f"{len(claimed)} are claimed, {len(wrong)} of them wrongly: {', '.join(wrong) or 'none'}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.chats.induced_chats", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--template", default="*", help="a pattern of names, such as '*/Qwen*'")
    parser.add_argument("--count", type=int, default=200, help="how many conversations (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--known", action="store_true", help="try the chats that are known first")
    parser.add_argument("--differences", action="store_true", help="show what was found, and where it first differs")
    options = parser.parse_args(arguments)
    print("| template | same | read back | claimed | not found out |\n| --- | ---: | --- | --- | --- |")
    all_found = []
    for template in templates():
        if not fnmatchcase(template.name, options.template):
            continue
        one = found(template, options.seed, options.count, options.known)
        all_found.append(one)
        print(row(one), flush=True)
        if options.differences and one.proposal is not None and one.compared is not None:
            print("\n".join(one.proposal.files.values()))
            for difference in one.compared.differences[:3]:
                print("\n".join(shown(difference)))
    print("\n" + "\n".join(summary(all_found, options.count)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
