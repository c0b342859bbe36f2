"""What a corpus of model output holds, dialect by dialect: how much of it is read, and what is not."""
