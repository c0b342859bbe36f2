"""Specs of dialects: a YAML entry and a Lark grammar, loaded as one `Spec`.

Others import `chat_load`, `chat_model`, `codec_model`, `codecs`, `costs`, `decode`, `document`, `entry`, `given`,
`grammar`, `grammar_model`, `grammar_source`, `guards`, `holes`, `lark_loader`, `leaves`, `load`, `map_keys`, `meaning`,
`model`, `policies`, `problems`, `prompts`, `shape_model`, `tool_names`; all else is its own.
"""
