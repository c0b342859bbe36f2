"""Finds entries that say how ids are made, and have no place for one.

## Why is this bad?

The field does nothing. Either it is left over, or a part of the grammar has the wrong role.

## Example

```yaml
my-model:
  map: {content: content, call: call, call/JSON: {name: $name, arguments: $arguments}}
  ids: {form: "call_{index}"}
```

## Use instead

```yaml
my-model:
  map: {content: content, call: call, call/JSON: {name: $name, arguments: $arguments, id: $id}}
  ids: {form: "call_{index}"}
```
"""
