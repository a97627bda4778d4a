"""Agents' classes for other plugins: what they offer people in front of a client of the Model Context Protocol."""

from .prompts import Argument, Completion, Prompt
from .questions import Question
from .resources import Readable

__all__ = ["Argument", "Completion", "Prompt", "Question", "Readable"]
