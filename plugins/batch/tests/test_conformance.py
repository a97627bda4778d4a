"""The promises of every plugin."""

from billycan.testing import PluginConformance


class TestBatch(PluginConformance):
    plugin = "batch"

    # A batch has no scope of its own: each operation needs that of its route.
    test_every_route_refuses_a_key_without_its_scope = None
