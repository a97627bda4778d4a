"""Agents' classes for other plugins: what they offer people in front of a client of the Model Context Protocol."""

from .prompts import Argument, Completion, Prompt
from .questions import Question
from .resources import Readable
from .tools import Attached

__all__ = ["Argument", "Attached", "Completion", "Prompt", "Question", "Readable"]
