r"""Finds what Lark reads and dialects do not have: `%ignore`, templates, patterns inside a rule, `"x"i`, wide ranges.

## Why is this bad?

A grammar is also what rendering writes, to the letter. What has no letters of its own, or no name, cannot be written;
and what is ignored would vanish from the text.

## Example

```lark
call: "<call>" /\w+/ JSON "</call>"
%ignore " "
```

## Use instead

Terminals with names, and whitespace where the model writes it. Whitespace that differs a little is read without help.

```lark
call: "<call>" NAME " " JSON "</call>"
NAME: /\w+/
```
"""
