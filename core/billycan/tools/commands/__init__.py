"""Core's commands, each module loaded when one of its commands is asked for or listed."""
