"""Finds roles and codecs on a part of the grammar that cannot have them.

## Why is this bad?

A rule can be a call, a slot can hold its name. The other way round there is nothing to read or to fill.

## Example

```yaml
my-model:
  map: {content: content, call: call.name}  # `call` is a rule
```

## Use instead

```yaml
my-model:
  map: {content: content, call: call, call/NAME: call.name}
```
"""
