from billycan.testing import PluginConformance


class TestSsoAuth(PluginConformance):
    plugin = "sso_auth"
    settings = {"issuer": "https://id.example.com", "audience": "billycan", "key": "s" * 32, "algorithm": "HS256"}
