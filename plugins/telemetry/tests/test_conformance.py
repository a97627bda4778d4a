from billycan.testing import PluginConformance


class TestTelemetry(PluginConformance):
    plugin = "telemetry"
