"""Regular expressions as automata: members, common words, and what makes one slow or endless."""
