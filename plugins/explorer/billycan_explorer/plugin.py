"""The explorer: a page that reads this deployment's OpenAPI document and calls it; no endpoints of its own."""

from billycan import Manifest

from .pages import ASSETS, PAGE, Asset, Document
from .settings import Settings

manifest = Manifest(name="explorer", settings=Settings, pages=((PAGE, Document), (ASSETS, Asset)))
