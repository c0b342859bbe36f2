"""What a conversation teaches: the texts that its answers were sampled in, what of these is taught, rows for trainers.

Others import `rollout`, `sampled_texts` and `taught_ids`; all else is its own.
"""
