"""The plugin's templates."""

from functools import cache

import jinja2


def template(name: str) -> jinja2.Template:
    """A template of this plugin; what is put into one that ends in `.html` is escaped."""
    return _environment().get_template(name)


@cache
def _environment() -> jinja2.Environment:
    loader = jinja2.PackageLoader("billycan_mail")
    return jinja2.Environment(
        loader=loader, autoescape=jinja2.select_autoescape(["html"]), trim_blocks=True, lstrip_blocks=True
    )
