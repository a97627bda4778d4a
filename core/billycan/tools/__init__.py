"""The command line: every command of `billycan`, and the code that only commands need."""
