"""Cost of the tests: what they take, and which faults they find."""
