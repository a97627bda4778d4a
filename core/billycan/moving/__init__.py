"""Businesses that leave, arrive and end: which rows are whose, files of them, and what the law has kept of them."""
