r"""Finds rules that begin with themselves.

## Why is this bad?

The engine enters a rule to see what it begins with. It would enter this one for ever.

## Example

```lark
calls: calls "\n" call | call
```

## Use instead

```lark
calls: call ("\n" call)*
```
"""
