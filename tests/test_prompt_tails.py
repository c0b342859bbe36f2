"""A prompt that ends with what opens reasoning: the answer begins inside of it, in every dialect that reasons."""

from __future__ import annotations

import pytest

import toolect
from toolect import registry
from toolect._message import Content, Message, Reasoning
from toolect._spec.model import Role

THINKING = [n for n in toolect.dialects() if Role.REASONING in registry.spec(n).roles.values() and n != "react"]
"""All but one, in which an answer is either reasoning or content."""


TAILS = {
    "apertus": {"<|assistant_start|>": False},
    "apriel": {
        "\n<|begin_assistant|>\n": False,
        "\n<|begin_assistant|>\nHere are my reasoning steps:\n": True,
        "<|assistant|>\n": False,
    },
    "beam": {"<|start|>assistant": False},
    "cohere-cmd5": {"<|CHATBOT_TOKEN|><|START_THINKING|>": True},
    "command-r": {"<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>": False},
    "command-r7b": {
        "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>": False,
        "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>": True,
        "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|><|END_THINKING|>": False,
    },
    "deepseek-v3": {
        "<｜Assistant｜>": False,
        "<｜Assistant｜><think>\n": True,
        "<｜Assistant｜><think>\n</think>": False,
    },
    "deepseek-v3.1": {
        "<｜Assistant｜><think>": True,
        "<｜Assistant｜></think>": False,
        "<｜Assistant｜><think></think>": False,
    },
    "dsml-v3.2": {
        "<｜Assistant｜></think>": False,
        "<｜Assistant｜><think>": True,
        "<｜Assistant｜><think></think>": False,
    },
    "dsml-v4": {"<｜Assistant｜></think>": False, "<｜Assistant｜><think>": True},
    "functionary-v3.1": {"<|start_header_id|>assistant<|end_header_id|>\n\n": False},
    "functionary-v3.2": {"<|start_header_id|>assistant<|end_header_id|>\n\n>>>": False},
    "functiongemma": {"<start_of_turn>model": False},
    "gemma4": {"<|turn>model\n": False, "<|turn>model\n<|channel>thought\n<channel|>": False},
    "gigachat3": {"assistant<|role_sep|>\n": False},
    "gigachat3.1": {"assistant<|role_sep|>\n": False},
    "glm-4.5": {"<|assistant|>": False},
    "glm-4.7": {
        "<assistant>\n": False,
        "<assistant>\n</think>": False,
        "<assistant><think>": True,
        "<|assistant|></think>": False,
        "<|assistant|><think>": True,
        "<｜start▁of▁sentence｜><|Bot|></think>": False,
        "<｜start▁of▁sentence｜><|Bot|><think>": True,
    },
    "granite-20b-fc": {"\nASSISTANT:": False},
    "granite-3": {"<|start_of_role|>assistant<|end_of_role|>": False},
    "harmony": {"<|start|>assistant": False},
    "hermes": {
        "<|im_start|>assistant\n": False,
        "<|im_start|>assistant\n<think>\n": True,
        "<|start_of_role|>assistant<|end_of_role|>": False,
        "assistant:": False,
        "assistant: <think>\n": True,
    },
    "hy3": {
        "<｜hy_Assistant:opensource｜>": False,
        "<｜hy_Assistant:opensource｜><think:opensource>": True,
        "<｜hy_Assistant:opensource｜><think:opensource></think:opensource>": False,
    },
    "hyperclovax-14b": {"<|im_start|>assistant": False},
    "inkling": {"<|message_model|>": False},
    "internlm2": {"<|im_start|>assistant\n": False},
    "kimi-k2": {"<|im_assistant|>assistant<|im_middle|>": False},
    "kimi-k3": {'<|open|>message role="assistant"<|sep|><|open|>think<|sep|>': True},
    "lfm2": {"<|im_start|>assistant\n": False},
    "ling3": {"<role>ASSISTANT</role>\n<think>": True, "<role>ASSISTANT</role>\n<think></think>": False},
    "llama3-json": {
        "\n<|header_start|>assistant<|header_end|>\n\n": False,
        "<|start_header_id|>assistant<|end_header_id|>\n\n": False,
    },
    "minicpm5": {
        "<|im_start|>assistant\n": False,
        "<|im_start|>assistant\n<think>\n": True,
        "<|im_start|>assistant\n<think>\n\n</think>\n\n": False,
    },
    "minimax-m1": {"<beginning_of_sentence>ai name=assistant\n": False},
    "minimax-m2": {"]~b]ai\n": False, "]~b]ai\n<think>\n": True},
    "minimax-m3": {"]~b]ai\n": False, "]~b]ai\n</mm:think>": False},
    "muse": {"<|start|>assistant": False},
    "nemotron-nano-v2": {"<SPECIAL_11>Assistant\n": False, "<SPECIAL_11>Assistant\n<think>\n": True},
    "qwen3-coder": {
        "<|im_start|>assistant\n": False,
        "<|im_start|>assistant\n<think>": True,
        "<|im_start|>assistant\n<think>\n": True,
        "<|im_start|>assistant\n<think>\n\n</think>\n\n": False,
        "<|im_start|>assistant\n<think></think>": False,
    },
    "seed-oss": {"<seed:bos>assistant\n": False},
    "solar-open": {"<|begin|>assistant": False},
    "xlam": {"<|im_start|>assistant\n": False, "<|start_header_id|>assistant<|end_header_id|>\n\n": False},
}
"""How chat templates of each dialect's models end a prompt, and whether that leaves reasoning open."""


@pytest.mark.parametrize("name", THINKING)
def test_the_prompt_may_open_reasoning(name: str) -> None:
    """Whatever whitespace the template writes after the marker."""
    dialect = toolect.dialect(name)
    text = str(dialect.render(Message([Reasoning("Plan it."), Content("Done.")])))
    opener, _, rest = text.partition("Plan it.")
    closer, core = rest.partition("Done.")[0], opener.rstrip()
    for tail in (opener, core, f"{core} ", f"{core}\n", f"{core}\n\n"):
        for lead in ("", "\n"):
            message = dialect.parse(f"{lead}Plan it.{closer}Done.", prefix=f"<|user|>What?<|assistant|>\n{tail}")
            assert (message.reasoning.strip(), message.content.strip()) == ("Plan it.", "Done."), (tail, lead)
        assert dialect.parse("Done.", prefix=f"{tail}Plan it.{closer}").content == "Done.", tail


@pytest.mark.parametrize("name", TAILS)
def test_what_templates_write(name: str) -> None:
    """An answer goes on in reasoning just where the template left it open, however much of the prompt is given."""
    dialect = toolect.dialect(name)
    for tail, is_open in TAILS[name].items():
        for prompt in (tail, f"What is <think>?{tail}"):
            message = dialect.parse("Plan.", prefix=prompt)
            assert (message.reasoning, message.content) == (("Plan.", "") if is_open else ("", "Plan.")), prompt


@pytest.mark.parametrize(
    "tail", ["<think>", "<think>\n", "[THINK]", "<mm:think>\n", "<|START_THINKING|>", "<think>\n\n"]
)
def test_without_a_dialect(tail: str) -> None:
    """The marker is known, whoever writes it."""
    assert toolect.parse("Plan it.", prefix=f"<|assistant|>{tail}").reasoning == "Plan it."
    assert toolect.parse("Plan it.", prefix=f"{tail}And?</think>").content == "Plan it."
