"""Finds entries that say how the reference of a call is spelled, and have no place for one.

## Why is this bad?

The field does nothing. Either it is left over, or a part of the grammar has the wrong role.

## Example

```yaml
my-model:
  map: {content: content, call: call, call/NAME: call.name, call/JSON: $arguments}
  ref: "functions.{name}"
```

## Use instead

```yaml
my-model:
  map: {content: content, call: call, call/NAME: call.ref, call/JSON: $arguments}
  ref: "functions.{name}"
```
"""
