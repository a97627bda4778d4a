"""State that the processes of one host share: request counts, rate limits, and the age of what they remember."""
