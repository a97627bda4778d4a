"""The explorer: read about and try every call of this API, in the browser."""

from billycan import Manifest

from .pages import ASSETS, PAGE, Asset, Document
from .settings import Settings

manifest = Manifest(name="explorer", settings=Settings, pages=((PAGE, Document), (ASSETS, Asset)))
