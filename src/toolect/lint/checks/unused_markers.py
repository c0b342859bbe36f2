r"""Finds entries that replace markers of a grammar which is their own.

## Why is this bad?

`markers` changes a grammar that is inherited, or a value language that is imported. What the entry's own grammar says
is changed there, where a reader looks for it.

## Example

```yaml
my-model:  # with a grammar `grammars/my-model.lark`
  markers: {"<tool_call>\n": "<call>\n"}
```

## Use instead

The marker in the grammar itself, or no grammar:

```yaml
my-model:
  extends: other-model
  markers: {"<tool_call>\n": "<call>\n"}
```
"""
