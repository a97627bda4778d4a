from billycan.testing import PluginConformance


class TestAttachments(PluginConformance):
    plugin = "attachments"
    enable = ("contacts",)
