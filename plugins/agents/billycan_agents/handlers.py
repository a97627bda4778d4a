"""Handlers of proposals, one function for each route."""

from billycan import Context, Page

from . import proposing
from .schemas import Proposal, ProposalQuery


def list_proposals(ctx: Context, query: ProposalQuery) -> Page[Proposal]:
    """The calls that agents want to make or wanted to, newest first.

    `arguments` and `preview` are null for a key that may not read the resource, unless it proposed the call itself.
    """
    return proposing.list_proposals(ctx, query)


def get_proposal(ctx: Context, id: str) -> Proposal:
    """One proposal: what became of it, or whether a person still has to decide.

    Only people decide, at `approval_url`.
    """
    return proposing.get_proposal(ctx, id)
