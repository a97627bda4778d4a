"""Businesses that leave, arrive and end, with what the law has kept of them; and backups of all of them."""
