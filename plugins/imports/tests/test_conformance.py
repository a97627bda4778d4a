from billycan.testing import PluginConformance


class TestImports(PluginConformance):
    plugin = "imports"
    enable = ("contacts",)
