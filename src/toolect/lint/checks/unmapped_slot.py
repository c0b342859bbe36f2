"""Finds slots and terminals that have no meaning.

## Why is this bad?

Reading would throw away what they hold, and rendering could not fill them.

## Example

```yaml
my-model:  # call: "<call>" NAME JSON "</call>"
  map: {content: content, call: call, call/JSON: $arguments}
```

## Use instead

```yaml
my-model:
  map: {content: content, call: call, call/NAME: call.name, call/JSON: $arguments}
```
"""
