"""What a conversation teaches: the texts that its answers were sampled in, what of these is taught, rows for trainers.

Others import `rollout`, `rows`, `sampled_texts`, `taught_ids` and `wishes`; all else is its own.
"""
