"""Finds comments that allow what is not there.

## Why is this bad?

A comment that allows nothing hides the problem that comes back one day, and tells a reader of one that is gone.

## Example

```yaml
# toolect: allow missing-corpus the model is not public yet
my-model: …  # there is a corpus by now
```

## Use instead

Delete the comment.
"""
