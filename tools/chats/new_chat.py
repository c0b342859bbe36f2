"""A chat from the chat template of a model: what it writes for known conversations, aligned.

    python -m tools.chats.new_chat NAME TEMPLATE [--dialect DIALECT] [--into FOLDER]

TEMPLATE is a jinja file or a tokenizer_config.json. Written are NAME.chats.yaml and grammars/chats/NAME.lark. The chat
is tried on conversations that it was not made of. Its answers are those of a dialect: a known one, or one that
`toolect new NAME --template TEMPLATE` has made (TOOLECT_SPECS).

Exit code 0: the chat writes what the template writes. 1: not so; it is said where. 2: no template.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from toolect import registry
from toolect.chat_template import TemplateError, special_tokens, template_of
from tools.chats.compare_chats import INDUCED, judged
from tools.chats.induction.proposing import induced, write
from tools.chats.induction.regions import InductionError
from tools.chats.induction.template_asking import Template


def main(argv: Sequence[str] | None = None) -> int:
    """Propose a chat as the arguments say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", help="what the chat is called")
    parser.add_argument("template", type=Path, help="a jinja file, or a tokenizer_config.json")
    parser.add_argument("--dialect", default="", metavar="DIALECT", help="what its answers are written in")
    parser.add_argument("--into", type=Path, default=Path(), metavar="FOLDER", help="where the files are written")
    options = parser.parse_args(argv)
    variables = special_tokens(options.template)
    try:
        text = template_of(options.template.read_text(encoding="utf-8"), options.template.suffix == ".json")
        template = Template(text, dict(variables))
    except (OSError, UnicodeDecodeError, TemplateError) as error:
        print(f"{error} - in {options.template}", file=sys.stderr)
        return 2
    for token in ("bos_token", "eos_token"):
        if token not in variables and re.search(rf"\b{token}\b", text):
            print(f"the template writes `{token}`, which a tokenizer_config.json tells", file=sys.stderr)
    try:
        dialect = registry.dialect(options.dialect) if options.dialect else None
        chat, files = induced(template, options.name, dialect)
        found = judged(options.name, template, chat)
    except (InductionError, TemplateError) as error:
        print(f"no chat is proposed: {error}", file=sys.stderr)
        return 1
    finally:
        template.sandbox.close()
    spec, grammar = write(options.into, files)
    print(f"wrote {spec}\nwrote {grammar}")
    print(f"the chat: it writes {found.same + found.refused} of {INDUCED} conversations as the template does", end="")
    print(f", and does not read {found.unread} back" if found.unread else ", and reads its own back")
    if found.unread or not found.agrees:
        print(
            "the chat is a beginning: it does not write what the template writes, or is not read back", file=sys.stderr
        )
        print(*(line for one in found.differences[:1] for line in one.shown()), sep="\n", file=sys.stderr)
        return 1
    print(f"next: toolect lint {spec}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
