"""The output of commands: tables for people, JSON for scripts."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from typing import TYPE_CHECKING, Any

import click
import msgspec

if TYPE_CHECKING:
    pass

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")


def print_json(value: Any) -> None:
    from ..web import encode

    click.echo(msgspec.json.format(encode(value), indent=2))


def print_table(rows: list[tuple[Any, ...]], empty: str) -> None:
    if not rows:
        click.echo(empty)
        return
    texts = [["-" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in texts) for column in range(len(texts[0]))]
    for row in texts:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
