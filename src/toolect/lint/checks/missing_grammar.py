r"""Finds entries whose grammar file is not there.

## Why is this bad?

The grammar is what says how a call looks. The entry only says what its parts mean.

## Example

`my.yaml` has the entry below, and the folder of `my.yaml` has no `grammars/my-model.lark`.

```yaml
my-model:
  map: {content: content, call: call, call/JSON: {name: $name, arguments: $arguments}}
```

## Use instead

A grammar with the name of the entry in the folder `grammars` beside the YAML file. A model that writes what another
one does, but for some markers, needs none of its own:

```yaml
my-model:
  extends: other-model
  markers: {"<tool_call>\n": "<call>\n", "\n</tool_call>": "\n</call>"}
```
"""
