"""Finds imports of files and names that there are not.

## Why is this bad?

The grammar lacks what it imports.

## Example

```lark
%import values.python (value)
```

## Use instead

A dot before a file that is beside the grammar; only Lark's own `common` has none.

```lark
%import .values.python (value)
```
"""
