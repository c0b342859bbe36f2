r"""Finds rules and terminals that are used and not defined.

## Why is this bad?

Nobody knows what the text looks like there.

## Example

```lark
call: "<call>" NAME JSON "</call>"
%declare JSON
```

## Use instead

A definition, or `%declare` for a slot.

```lark
call: "<call>" NAME JSON "</call>"
NAME: /\w+/
%declare JSON
```
"""
