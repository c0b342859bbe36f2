"""How fast it reads, how much memory it takes, and what agents add: measured against floors of the same run."""
