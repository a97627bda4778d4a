"""What runs in the worker process: timed tasks, and what core itself tidies up by them."""
