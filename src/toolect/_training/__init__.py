"""Training data of conversations: the texts that answers were sampled in, loss masks, rows for trainers.

Others import `rollout`, `sampled_texts` and `taught_ids`; all else is its own.
"""
