"""Chats as renderers of tinker-cookbook, where that is installed."""

from __future__ import annotations

from typing import Any

import pytest
from small_tokenizers import byte_level

pytest.importorskip("tinker_cookbook")
pytest.importorskip("transformers")


@pytest.fixture
def renderer() -> Any:
    from tinker_cookbook.renderers import get_renderer
    from transformers import PreTrainedTokenizerFast

    import toolect.tinker

    assert toolect.tinker
    return get_renderer("toolect/qwen3", PreTrainedTokenizerFast(tokenizer_object=byte_level()))


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
