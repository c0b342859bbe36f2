"""What dialects can carry, and what a corpus of model output holds of each."""
