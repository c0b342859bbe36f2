"""Finds entries with a place for the reference of a call, which do not say how one is spelled.

## Why is this bad?

A reference has the name of the call in it, and perhaps its number. Without the field `ref` neither can be read out of
it, and none can be written.

## Example

```yaml
my-model:
  map: {content: content, call: call, call/REF: call.ref, call/JSON: $arguments}
```

## Use instead

```yaml
my-model:
  map: {content: content, call: call, call/REF: call.ref, call/JSON: $arguments}
  ref: "functions.{name}:{index}"
```
"""
