"""Agents: the API as tools of the Model Context Protocol, what an agent may do alone, and what a person approves."""

from billycan import Context, Every, Manifest, RecordPages, Route

from . import approvals, guarding, pages, prompts, proposing, protocol, questions, resources
from . import handlers as h
from .policies import authorize_by, own_policy, watch_by
from .schemas import Proposal
from .tables import bank_changes, policies, proposals, spent, writes

__all__ = ["authorize", "manifest"]

authorize = authorize_by(guarding.check_route)

manifest = Manifest(
    name="agents",
    requires=("users",),
    uses=("apps",),
    tables=(policies, spent, writes, bank_changes, proposals),
    events={"proposal.created": Proposal, "proposal.decided": Proposal},
    routes=(
        Route("GET", "/v1/proposals", h.list_proposals, scope="agents:read"),
        Route("GET", "/v1/proposals/{id}", h.get_proposal, scope="agents:read"),
    ),
    pages=(
        *approvals.screens,
        *pages.screens,
        (protocol.ENDPOINT, protocol.Endpoint),
        (protocol.RESOURCE, protocol.ProtectedResource),
        (protocol.RESOURCE + protocol.ENDPOINT, protocol.ProtectedResource),
    ),
    records=(
        RecordPages(
            path="/v1/proposals",
            attention=(
                RecordPages.Attention(
                    title="Changes to approve", filters={"status": "pending"}, page="/dashboard/approvals"
                ),
            ),
            hidden=True,
        ),
    ),
    tasks=(
        Every(seconds=60, due=proposing.past_expiry, run=proposing.expire, real_time=True),
        Every(seconds=3600, run=guarding.forget_old, tenants=guarding.with_old, real_time=True),
    ),
    codes={
        "answer_too_large": (422, "The answer is too large for a model: ask for less of it."),
        "approval_required": (403, "A person of the business has to approve this."),
        "frozen": (403, "An owner of the business has frozen the key or connection."),
        "not_allowed_for_agents": (403, "The policy of the key or connection refuses this."),
    },
    offers=(
        *prompts.PROMPTS,
        *questions.QUESTIONS,
        *resources.ALWAYS,
        *resources.ATTACHED,
        Context.Guard(
            watch=watch_by(guarding.watch_call),
            policy=own_policy,
            codes=("approval_required", "frozen", "not_allowed_for_agents"),
        ),
        Context.Emptied(stay=(policies, spent, writes)),  # or a reset of the sandbox would let an agent do anything
    ),
)
