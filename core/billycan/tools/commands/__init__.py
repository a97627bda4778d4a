"""Core's commands; each module is loaded when one of its commands is used or listed."""
