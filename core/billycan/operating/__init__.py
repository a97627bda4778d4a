"""Pages for the people who run a deployment: its health, its plugins and its metrics."""
