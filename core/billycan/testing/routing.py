"""Fail tests whose statements a PostgreSQL that is distributed by business could not send to one node.

`billycan database distribute` puts the rows of a business on one node of a cluster. Each statement must then name the
business where Citus looks for it, and each node must be able to answer for its own rows what the worker asks of all
businesses. During tests on PostgreSQL every statement is looked at once, so that no cluster is needed. Outside of tests
this module does nothing.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, wraps
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql import operators, visitors

from . import holding

_found: dict[tuple[str, bool], str] = {}


@cache
def watch_statements(tell: Callable[[str], object]) -> None:
    """Start looking at this process's statements, except those of migrations and of tests themselves."""
    from ..engines import forms, walls  # noqa: PLC0415 - pytest loads this module in every run

    def look(compiled: Any, options: Any) -> None:
        is_postgresql = compiled.dialect.name == "postgresql"
        if is_postgresql and (why := _reason(compiled, walls.ACROSS in options)) and not _is_tests_own():
            tell(f"a cluster could not run a statement as it is: {why}")

    form: Any = forms.Form
    check, check_tenants = form.check, walls.check_tenants

    @wraps(check)
    def check_form(self: Any, db: Any, given: Any, options: Any) -> None:
        look(self.compiled, options)
        check(self, db, given, options)

    @wraps(check_tenants)
    def check_any(compiled: Any, given: Any, options: Any) -> None:
        look(compiled, options)
        check_tenants(compiled, given, options)

    form.check, walls.check_tenants = check_form, check_any


def _is_tests_own() -> bool:
    """Tell whether a test, or a migration, made the statement that is sent."""
    frame: Any = sys._getframe(2)
    while "sqlalchemy" in (name := frame.f_code.co_filename) or "/engines/" in name or name == __file__:
        frame = frame.f_back
    return Path(name).name.startswith(("test_", "conftest", "migrate"))


@holding.leave_out_time
def _reason(compiled: Any, is_across: bool) -> str:
    key = compiled.string, is_across
    if key not in _found:
        _found[key] = explain(compiled.statement, is_across=is_across)
    return _found[key]


def explain(statement: Any, *, is_across: bool = False) -> str:
    """Describe why a cluster cannot run a statement, or not on one node; an empty text if it can."""
    return next(_find_reasons(statement, (), set(), is_across=is_across, is_joined=True), "")


def _find_reasons(
    element: Any,
    above: Sequence[Any],
    seen: set[tuple[Any, bool]],
    *,
    is_across: bool,
    is_joined: bool,
    is_carried: bool = False,
) -> Iterator[str]:
    """Yield what is wrong with an element within these scopes, but for queries in a FROM that were `seen` before.

    `is_joined` is true of what PostgreSQL makes a part of the statement around it, such as EXISTS in its WHERE.
    """
    from ..engines import walls  # noqa: PLC0415 - as above

    if isinstance(element, sa.Insert) and element.select is None:
        if any(isinstance(part, sa.Select) for part in visitors.iterate(element)):
            yield f"a query within VALUES, of {element.table.name}: insert from a SELECT"
        return
    if (
        isinstance(element, sa.Insert)
        and not element.returning_column_descriptions
        and isinstance(element.select, sa.Select)
        and not Place(element.select, ()).scope
    ):
        yield f"rows of {element.table.name} that come from no table, and policies refuse COPY: add RETURNING"
    if isinstance(element, sa.Subquery | sa.CTE):
        # Around one with everybody's rows the business is named, which PostgreSQL carries into it.
        is_carried = not is_across and walls.is_open(element)
        if (element, is_carried) not in seen:
            seen.add((element, is_carried))
            inner = element.element
            yield from _find_reasons(inner, (), seen, is_across=is_across, is_joined=True, is_carried=is_carried)
        return
    joined: set[Any] = set()
    if isinstance(element, sa.Select | sa.Update | sa.Delete):
        place = Place(element, above)
        yield from _judge(element, place, above, is_across=is_across, is_joined=is_joined, is_carried=is_carried)
        above = (place, *above)
        joined = {*_exists_in([element.whereclause])}
    for part in element.get_children():
        for inner, is_part in _selects_in(part, joined):
            yield from _find_reasons(inner, above, seen, is_across=is_across, is_joined=is_part, is_carried=is_carried)


class Place:
    """The FROM of a query within others: its tables, and what the `tenant_id` of those that have one must equal."""

    def __init__(self, element: Any, above: Sequence["Place"]) -> None:
        from ..engines import walls  # noqa: PLC0415 - as above

        self.scope: Any = walls.scope_of(element, [place.scope for place in above])
        around = {table for place in above for table in place.tables}
        self.tables: set[Any] = walls.froms_of(element, around)
        refers = {getattr(part, "table", None) for part in visitors.iterate(element)} if around else set()
        self.outside = (refers & around) - self.tables


def _selects_in(element: Any, joined: set[Any]) -> Iterator[tuple[Any, bool]]:
    """Yield the queries directly within an element, each with whether it becomes a part of the one around it."""
    if isinstance(element, sa.Select | sa.Subquery | sa.CTE | sa.Insert | sa.Update | sa.Delete):
        yield element, element in joined
        return
    for part in element.get_children():
        yield from _selects_in(part, joined)


def _exists_in(conditions: Iterable[Any]) -> Iterator[Any]:
    """Yield the queries of the EXISTS and NOT EXISTS that must hold."""
    from ..engines import walls  # noqa: PLC0415 - as above

    for condition in walls.split_and(conditions):
        inner = condition
        while isinstance(inner, sa.sql.elements.Grouping) or (
            isinstance(inner, sa.UnaryExpression) and inner.operator is operators.inv
        ):
            inner = inner.element
        if isinstance(inner, sa.Exists):
            yield next(part for part in visitors.iterate(inner) if isinstance(part, sa.Select))


def _judge(
    element: Any, place: Place, above: Sequence[Place], *, is_across: bool, is_joined: bool, is_carried: bool = False
) -> Iterator[str]:
    """Yield what is wrong with one SELECT, UPDATE or DELETE, without those within it."""
    from ..engines import walls  # noqa: PLC0415 - as above

    scope = place.scope
    here = {table for table in scope if _lies_on_one_node(table)}
    named = _closure(scope, [table for table in scope if any(isinstance(v, sa.BindParameter) for v in scope[table])])
    if here <= named:
        return
    around = {table for each in above for table in each.scope if _lies_on_one_node(table)}
    linked = _closure(scope, [table for table in scope if around & {*_others(scope[table])}])
    names = ", ".join(sorted(str(table.name) for table in here - named))
    if is_carried and (is_joined or not above):
        return
    if not is_across:
        if not above:
            yield f"rows of {names} without their business"
        elif not is_joined or not here <= named | linked:
            yield f"a query of {names} within another one does not name the business: add its tenant_id"
    elif walls.locks_rows(element):
        yield f"rows of {names} are locked for several businesses: lock those of one at a time"
    elif place.outside:
        if not here <= linked:
            yield f"a query of {names} refers to what every node has: begin with what lies on one node"
    elif not here <= _closure(scope, [next(iter(here))]):
        yield f"{names} are joined by other columns than tenant_id"


def _others(equals: Iterable[Any]) -> Iterator[Any]:
    return (other for other in equals if not isinstance(other, sa.BindParameter))


def _closure(scope: Any, begin: Iterable[Any]) -> set[Any]:
    """Return these tables of a scope, and those whose tenant_id must equal one of theirs."""
    found, size = {*begin}, -1
    while size != len(found):
        size = len(found)
        for table, equals in scope.items():
            others = [*_others(equals)]
            if table in found:
                found |= {other for other in others if other in scope}
            elif any(other in found for other in others):
                found.add(table)
    return found


def _lies_on_one_node(table: Any) -> bool:
    """Tell whether each row of a table, of its alias, or of a query in a FROM lies on the node of its business."""
    from ..starting import distribution  # noqa: PLC0415 - as above

    table = getattr(table, "element", table)
    return not isinstance(table, sa.Table) or distribution.is_distributed(table)
