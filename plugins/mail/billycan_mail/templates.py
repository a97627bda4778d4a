"""The Jinja templates of mail."""

from functools import cache

import jinja2


def load_template(name: str) -> jinja2.Template:
    """Load a template of this plugin. Values in a template that ends in `.html` are escaped."""
    return _build_environment().get_template(name)


@cache
def _build_environment() -> jinja2.Environment:
    loader = jinja2.PackageLoader("billycan_mail")
    return jinja2.Environment(
        loader=loader, autoescape=jinja2.select_autoescape(["html"]), trim_blocks=True, lstrip_blocks=True
    )
