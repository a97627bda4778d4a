"""Pages of the business itself: its overview, profile, keys, webhooks and reports."""
