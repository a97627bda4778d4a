"""The worker process: timed tasks, and the tasks by which core cleans up."""
