"""Finds shapes that make no call: no arguments, the same hole twice, a hole that there is not.

## Why is this bad?

A shape is read and written. A hole that comes twice could be read in two ways, and arguments without a place are lost.

## Example

```yaml
my-model:
  map: {content: content, call: call, call/JSON: {name: $name, parameters: $args}}
```

## Use instead

```yaml
my-model:
  map: {content: content, call: call, call/JSON: {name: $name, parameters: $arguments}}
```
"""
