"""What the processes of one host share: counts, rate limits, and when what they remember is out of date."""
