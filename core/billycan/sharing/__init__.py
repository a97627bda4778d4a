"""Request counts, rate limits and the age of what is remembered, for all processes of a host; and shares.

A share is a business's part of the places of one process.
"""
