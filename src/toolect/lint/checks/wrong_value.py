r"""Finds values that their field does not take.

## Why is this bad?

The author meant something by it, and toolect cannot know what. Going on with the default would hide the slip.

## Example

```yaml
my-model:
  gaps: {before call: newline}
```

## Use instead

One of the values that the message lists, or that [the reference of fields](../dialects.md) does.

```yaml
my-model:
  gaps: {before call: "\n"}
```
"""
