"""Finds entries whose name cannot be the name of a dialect.

## Why is this bad?

The name is also that of files, of a command line argument, and of Python arguments. It must be safe in all of them.

## Example

```yaml
My Model:
  extends: other-model
```

## Use instead

Lower-case letters, digits, `.`, `_` and `-`. Other names are aliases.

```yaml
my-model:
  extends: other-model
  aliases: ["My Model"]
```
"""
