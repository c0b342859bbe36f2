"""A chat proposed for a chat template: found out from what that writes, and tried on what it was not made of.

The template is asked for conversations of words that nobody else says (`known_words`, `asking`), and its texts are cut
into turns (`cutting`). What a turn is made of, and when, is found by comparing (`regions`, `which_facts`); fields that
no text shows are chosen by trial (`fields`).
"""
