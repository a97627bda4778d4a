"""Request counts, rate limits and the age of what is remembered, for all processes of a host."""
