"""Hosted pages: what a business's clients open behind a signed link; no endpoints of its own."""

from billycan import Manifest

manifest = Manifest(name="hosted", requires=("documents",))
