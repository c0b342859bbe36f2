"""Finds entries that reserve words, though none of their calls begins with its name.

## Why is this bad?

Words are reserved so that prose is not taken for a call that begins with its name. Where a marker comes first, the
field does nothing.

## Example

```yaml
my-model:  # call: "<call>" NAME JSON
  reserved: ["print"]
```

## Use instead

Delete the field.
"""
