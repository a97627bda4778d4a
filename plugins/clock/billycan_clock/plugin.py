"""Clock: a time of its own for each sandbox, in which a year passes within seconds."""

import sqlalchemy as sa

from billycan import App, Context, Every, Manifest, Route, hookimpl

from . import handlers as h
from .keeping import find_time
from .schemas import Clock
from .tables import clocks
from .walking import to_walk, walk

manifest = Manifest(
    name="clock",
    tables=(clocks,),
    events={"clock.advanced": Clock},
    routes=(
        Route("GET", "/v1/clock", h.get_clock, scope="clock:read"),
        Route("POST", "/v1/clock", h.set_clock, scope="clock:write", status=201),
        Route("POST", "/v1/clock/advance", h.advance_clock, scope="clock:write", status=202),
        Route("DELETE", "/v1/clock", h.delete_clock, scope="clock:write"),
    ),
    tasks=(Every(seconds=2, run=walk, tenants=to_walk, own_transactions=True, real_time=True),),
    codes={
        "clock_advancing": (409, "The clock is advancing: wait until that is done, or delete it."),
        "clock_is_set": (409, "The sandbox has a clock: advance it, or delete it first."),
        "sandbox_only": (403, "This is for a sandbox alone: use a key that begins with `svc_test_`."),
    },
    offers=(Context.Clock(find=find_time, tenants=sa.select(clocks.c.tenant_id)),),
)


@hookimpl
def startup(app: App) -> None:
    app.add_trigger("clock.advanced", h.step_ahead)
