"""Agents: the API as tools of the Model Context Protocol, what an agent may do alone, and what a person approves."""

from billycan import Manifest

from . import protocol

manifest = Manifest(
    name="agents",
    requires=("users",),
    uses=("apps",),
    pages=(
        (protocol.ENDPOINT, protocol.Endpoint),
        (protocol.RESOURCE, protocol.ProtectedResource),
        (protocol.RESOURCE + protocol.ENDPOINT, protocol.ProtectedResource),
    ),
)
