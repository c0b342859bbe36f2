"""Finds words in `map` that are no role.

## Why is this bad?

What the part holds would not be found in the message.

## Example

```yaml
my-model:
  map: {content: text}
```

## Use instead

One of [the roles](../dialects.md#map), or a shape.

```yaml
my-model:
  map: {content: content}
```
"""
