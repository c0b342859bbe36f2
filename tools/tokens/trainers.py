"""Rows of toolect in real trainers, in an environment of its own: a random model, one step each. Prints a table."""

from __future__ import annotations

import logging
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from types import SimpleNamespace
from typing import Any

import toolect
from toolect import training

MESSAGES = [
    {"role": "user", "content": "High tide in Brest?"},
    {"role": "assistant", "content": "", "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "tide", "arguments": '{"port": "Brest"}'}}]},
    {"role": "tool", "tool_call_id": "a", "content": "5:10"},
    {"role": "assistant", "content": "At 5:10."},
]  # fmt: skip
INTRODUCTION = """\
One step of each with a random model of one layer, on the rows of `Example.columns()`. Of axolotl, only what reads
`Example.segments()` is run, as its trainer needs more packages.
"""
MARKERS = ("<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>")
COLUMNS = (("input_ids", "labels"), ("input_ids", "assistant_masks"), ("input_ids", "attention_mask", "labels"))


def main() -> int:
    """Train, and print what was taught."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    print(INTRODUCTION)
    print("| trainer | rows | taught as here |\n| --- | --- | --- |")
    well = True
    tokenizer = small_tokenizer()
    with tempfile.TemporaryDirectory() as folder:
        for trainer, rows, run in runs(tokenizer, folder):
            try:
                with redirect_stdout(sys.stderr):  # trainers tell of their steps
                    good = run()
            except Exception as error:  # whatever a trainer makes of rows that it does not take
                good, rows = False, f"{rows}: {type(error).__name__}"
            well = well and good
            print(f"| {trainer} | {rows} | {'yes' if good else 'no'} |")
    return int(not well)


def runs(tokenizer: Any, folder: str) -> Iterator[tuple[str, str, Callable[[], bool]]]:
    """Trials: the trainer, its rows, and a function that runs it."""
    from datasets import Dataset  # type: ignore[import-not-found,unused-ignore]
    from trl import (  # type: ignore[import-not-found,unused-ignore]
        GRPOConfig,
        GRPOTrainer,
        SFTConfig,
        SFTTrainer,
    )

    chat = toolect.chat("qwen2.5")
    (example,) = training.examples(toolect.Conversation.from_openai(MESSAGES), chat, tokenizer)
    wanted = [label for label in example.labels if label != training.IGNORED]
    shared: dict[str, Any] = {
        "output_dir": folder, "max_steps": 1, "per_device_train_batch_size": 2, "report_to": [], "use_cpu": True,
        "save_strategy": "no", "disable_tqdm": True, "logging_strategy": "no",
    }  # fmt: skip

    def tune(names: tuple[str, ...], packing: bool) -> bool:
        rows = Dataset.from_list([{name: example.columns()[name] for name in names}] * 4)
        options = SFTConfig(**shared, max_length=2048, packing=packing)
        trainer = SFTTrainer(model=small_model(tokenizer), args=options, train_dataset=rows, processing_class=tokenizer)
        labels = next(iter(trainer.get_train_dataloader()))["labels"][0].tolist()
        trainer.train()
        return [label for label in labels if label != training.IGNORED][: len(wanted)] == wanted

    def explore() -> bool:
        prompt = str(chat.render(toolect.Conversation.from_openai(MESSAGES[:1]), True))
        seen: list[int] = []

        def reward(completion_ids: list[list[int]], **_others: Any) -> list[float]:
            scores = []
            for ids in completion_ids:
                stream = chat.dialect.token_stream(tokenizer)
                stream.feed(ids)
                stream.close()
                seen.append(len(ids))
                scores.append(float(bool(stream.message.runnable)))
            return scores

        options = GRPOConfig(**shared, num_generations=2, max_completion_length=8)
        rows = Dataset.from_list([{"prompt": prompt}] * 4)
        GRPOTrainer(
            model=small_model(tokenizer), reward_funcs=reward, args=options, train_dataset=rows,
            processing_class=tokenizer,
        ).train()  # fmt: skip
        return bool(seen)

    def read() -> bool:
        from axolotl.prompt_strategies import input_output  # type: ignore[import-not-found,unused-ignore]

        settings = SimpleNamespace(train_on_inputs=False, sequence_len=2048)
        row = input_output.load(tokenizer, settings).tokenize_prompt({"segments": example.segments()})
        return (row["input_ids"], row["labels"]) == (example.ids, example.labels)

    yield "axolotl, `type: input_output`", "`segments`", read
    for packing in (False, True):
        for names in COLUMNS:
            title = f"`SFTTrainer`{', packed' if packing else ''}"
            yield title, ", ".join(f"`{name}`" for name in names), partial(tune, names, packing)
    yield "`GRPOTrainer`", "`prompt`, with a reward that reads `completion_ids` by `token_stream`", explore


def small_tokenizer() -> Any:
    """One of single bytes and a few markers."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast  # type: ignore[import-not-found,unused-ignore]

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({letter: at for at, letter in enumerate(letters)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_tokens([AddedToken(marker, normalized=False) for marker in MARKERS])
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|im_end|>", pad_token="<|im_end|>")


def small_model(tokenizer: Any) -> Any:
    """A random model of one layer."""
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), num_key_value_heads=2, **sizes))


if __name__ == "__main__":
    sys.exit(main())
