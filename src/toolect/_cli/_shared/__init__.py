"""What several commands use: input and output, options, JSON forms, drawing on a terminal."""
