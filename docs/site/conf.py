"""Sphinx's settings for the site that `make docs` renders."""

project = html_title = "billycan"
extensions = ["myst_parser"]
myst_heading_anchors = 3
# Ignore that JSON lexers do not know the `…` that shortens answers in the documents.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_show_sphinx = html_show_copyright = html_show_sourcelink = html_copy_source = False
_accent = {"color-brand-primary": "#a8400f", "color-brand-content": "#a8400f", "color-brand-visited": "#a8400f"}
_bright = {"color-brand-primary": "#f0a070", "color-brand-content": "#f0a070", "color-brand-visited": "#f0a070"}
html_theme_options = {
    "light_css_variables": _accent,
    "dark_css_variables": _bright,
    "navigation_with_keys": True,
    "top_of_page_buttons": [],
}
