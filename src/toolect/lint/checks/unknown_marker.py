r"""Finds `misspellings` and `markers` of a marker that the grammar does not have.

## Why is this bad?

Nothing is replaced, and nothing is read leniently. A marker must be written as the grammar does, whitespace included.

## Example

```yaml
my-model:
  extends: other-model
  markers: {"<tool_call>": "<call>"}  # that of other-model is "<tool_call>\n"
```

## Use instead

```yaml
my-model:
  extends: other-model
  markers: {"<tool_call>\n": "<call>\n"}
```
"""
