"""Sandbox: all of a sandbox's records removed, and the sample records added again."""

from billycan import Context, Every, Manifest, Route

from . import handlers as h
from .resetting import reset, to_reset
from .schemas import SandboxReset
from .tables import resets

manifest = Manifest(
    name="sandbox",
    tables=(resets,),
    events={"sandbox.reset": SandboxReset},
    routes=(
        Route("GET", "/v1/sandbox/reset", h.get_reset, scope="sandbox:read"),
        Route("POST", "/v1/sandbox/reset", h.reset_sandbox, scope="sandbox:write", status=202),
    ),
    tasks=(Every(seconds=2, run=reset, tenants=to_reset, own_transactions=True, real_time=True),),
    codes={
        "reset_under_way": (409, "The sandbox is being reset: wait until that is done."),
        "sandbox_only": (403, "This is for a sandbox alone: use a key that begins with `svc_test_`."),
    },
    offers=(Context.Emptied(stay=(resets,)),),
)
