"""The command line: every command of `billycan`, and what only commands need."""
