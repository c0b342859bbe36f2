"""Finds what is not YAML, or more of YAML than specs need: anchors, tags, a second document, very deep nesting.

## Why is this bad?

Nothing of the file can be read from there on. Tags and anchors make the meaning of a line depend on another one, or on
the program that reads it.

## Example

```yaml
my-model:
  map: &plain {content: content
other-model:
  map: *plain
```

## Use instead

Plain mappings, lists and texts. What two entries share is inherited:

```yaml
my-model:
  map: {content: content}
other-model:
  extends: my-model
```
"""
