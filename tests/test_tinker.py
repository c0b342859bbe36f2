"""Chats as renderers of tinker-cookbook; `make tokens` installs that in an environment of its own, and runs these."""

from __future__ import annotations

from typing import Any

import pytest
from small_tokenizers import byte_level

for name in ("tinker_cookbook", "transformers"):
    pytest.importorskip(name, reason=f"no {name} here: `make tokens` runs this where it is installed")


def made(name: str) -> Any:
    """A renderer by its name."""
    from tinker_cookbook.renderers import get_renderer
    from transformers import PreTrainedTokenizerFast

    import toolect.tinker

    assert toolect.tinker
    return get_renderer(name, PreTrainedTokenizerFast(tokenizer_object=byte_level()))


@pytest.fixture
def renderer() -> Any:
    return made("toolect/qwen3")


def test_a_chat_is_a_renderer(renderer: Any) -> None:
    """It asks for answers, reads them, and teaches them; a tool reaches it by its prefix."""
    from tinker_cookbook.renderers import TrainOnWhat

    tool = {"name": "tide", "description": "High water", "parameters": {"type": "object", "properties": {}}}
    asked = [*renderer.create_conversation_prefix_with_tools([tool], "Be brief."), {"role": "user", "content": "Tide?"}]
    prompt = renderer.build_generation_prompt(asked).to_ints()
    assert '{"name": "tide"' in renderer.tokenizer.decode(prompt)
    (end,) = renderer.get_stop_sequences()
    said = '<think>\nhm\n</think>\n\n<tool_call>\n{"name": "tide", "arguments": {}}\n</tool_call>'
    message, how = renderer.parse_response([*renderer.tokenizer.encode(said), end])
    assert how.is_clean and message["tool_calls"][0].function.name == "tide"
    assert not renderer.parse_response(renderer.tokenizer.encode("Yes"))[1].is_clean
    ids, weights = renderer.build_supervised_example([*asked, message], TrainOnWhat.LAST_ASSISTANT_MESSAGE)
    assert ids.to_ints()[: len(prompt)] == prompt
    taught = [number for number, weight in zip(ids.to_ints(), weights.tolist(), strict=True) if weight]
    assert renderer.tokenizer.decode(taught) == f"{said}<|im_end|>"


def test_an_answer_is_read_bit_by_bit(renderer: Any) -> None:
    """The parts join to the message; what is after the end is not read."""
    from tinker_cookbook.renderers import StreamingMessageHeader, StreamingTextDelta, StreamingThinkingDelta

    (end,) = renderer.get_stop_sequences()
    ids = [*renderer.tokenizer.encode("<think>\nhm\n</think>\n\nSure."), end, *renderer.tokenizer.encode("more")]
    first, *parts, message = renderer.parse_response_streaming(ids)
    assert isinstance(first, StreamingMessageHeader) and message == renderer.parse_response(ids)[0]
    assert "".join(part.thinking for part in parts if isinstance(part, StreamingThinkingDelta)) == "hm"
    assert "".join(part.text for part in parts if isinstance(part, StreamingTextDelta)) == "Sure."
    assert [part.content_index for part in parts] == sorted(part.content_index for part in parts)
    assert renderer.to_openai_message(message)["reasoning_content"] == "hm"


def test_reasoning_is_asked_for_by_name() -> None:
    asked = [{"role": "user", "content": "Hi"}]
    prompts = [made(f"toolect/qwen3{end}") for end in ("", "/thinking", "/no-thinking")]
    texts = [one.tokenizer.decode(one.build_generation_prompt(asked).to_ints()) for one in prompts]
    assert [text.endswith("</think>\n\n") for text in texts] == [False, False, True]


def test_what_cannot_be_is_refused(renderer: Any) -> None:
    """By the error of tinker-cookbook, with what to do."""
    from tinker_cookbook.exceptions import RendererError
    from tinker_cookbook.renderers import TrainOnWhat

    thought = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "x"}]
    said: list[dict[str, Any]] = [{"role": "user", "content": "x"}, {"role": "assistant", "content": thought}] * 2
    for wrong, message in (
        (lambda: renderer.render_message(said[0], None), "expected a whole conversation, got a message"),
        (lambda: renderer.build_generation_prompt(said[:1], "tool"), "expected role 'assistant'"),
        (lambda: renderer.build_supervised_example(said, TrainOnWhat.ALL_ASSISTANT_MESSAGES), "got 2 texts"),
        (lambda: renderer.build_supervised_example(said, TrainOnWhat.ALL_TOKENS), "only what the model wrote is"),
    ):
        with pytest.raises(RendererError) as caught:
            wrong()
        assert message in str(caught.value)
    assert len(renderer.build_supervised_examples(said, TrainOnWhat.ALL_ASSISTANT_MESSAGES)) == 2
