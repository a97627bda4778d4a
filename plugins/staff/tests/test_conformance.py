from billycan.testing import PluginConformance


class TestStaff(PluginConformance):
    plugin = "staff"

    def bodies(self, client):
        hours = [{"day": "monday", "start": "08:00", "end": "16:30"}]
        return {"/v1/staff": {"name": "Grace", "email": "grace@example.com", "hours": hours}}
