"""What those who run a deployment look at: whether it is well, what is on, and what is measured."""
