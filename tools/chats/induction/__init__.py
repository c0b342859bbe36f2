"""A chat proposed for a chat template: found out from what that writes, and tried on what it was not made of."""
