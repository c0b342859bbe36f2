"""Finds keys and values of an entry that name a rule, a slot or a terminal which its grammar does not have.

## Why is this bad?

What is said of it is said of nothing, and the part that was meant has no meaning, or another one.

## Example

```yaml
my-model:
  map: {content: content, calls: call, call/JSON: $arguments}  # the grammar has `call`
```

## Use instead

A rule by its name, what is inside a rule by both: `rule/SLOT`.

```yaml
my-model:
  map: {content: content, call: call, call/JSON: $arguments}
```
"""
