"""A real llama.cpp server with a tiny model of random weights; run with the interpreter that has xllamacpp and gguf.

What it writes is noise unless a grammar of the request says what may come: enough for streams, stops and reasons.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import gguf
import numpy as np
import xllamacpp

MARKERS = ("<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>")
WIDTH, HEADS = 64, 4
CONTEXT = 8192


def write_model(path: Path) -> None:
    """One layer, a vocabulary of bytes and some markers."""
    rng = np.random.default_rng(7)
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *MARKERS]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    kinds += [gguf.TokenType.BYTE] * 256 + [gguf.TokenType.USER_DEFINED] * len(MARKERS)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("Qwen/Qwen3-tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(2 * WIDTH)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)

    def random(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.02, shape).astype(np.float32)

    writer.add_tensor("token_embd.weight", random(len(tokens), WIDTH))
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    writer.add_tensor("output.weight", random(len(tokens), WIDTH))
    for name in ("attn_norm", "ffn_norm"):
        writer.add_tensor(f"blk.0.{name}.weight", np.ones(WIDTH, np.float32))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        writer.add_tensor(f"blk.0.{name}.weight", random(WIDTH, WIDTH))
    for name in ("ffn_gate", "ffn_up"):
        writer.add_tensor(f"blk.0.{name}.weight", random(2 * WIDTH, WIDTH))
    writer.add_tensor("blk.0.ffn_down.weight", random(WIDTH, 2 * WIDTH))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    """Serve until standard input ends; the address is the first line of standard output."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "tiny.gguf")
        write_model(model)
        params = xllamacpp.CommonParams()
        params.model.path = str(model)
        params.n_ctx = CONTEXT
        params.n_parallel = 4
        params.warmup = False
        params.hostnames, params.port = ["127.0.0.1"], 0
        server = xllamacpp.Server(params)
        print(server.listening_address, flush=True)
        sys.stdin.read()
        del server


if __name__ == "__main__":
    main()
