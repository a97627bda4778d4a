from billycan.testing import PluginConformance


class TestRedisLimits(PluginConformance):
    plugin = "redis_limits"
