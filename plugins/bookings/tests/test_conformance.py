from billycan.testing import PluginConformance


class TestBookings(PluginConformance):
    plugin = "bookings"
    enable = ("contacts", "staff")

    def bodies(self, client):
        contact = client.post("/v1/contacts", {"name": "Ada"})["data"]
        hours = [{"day": day, "start": "00:00", "end": "24:00"} for day in ("sunday", "monday")]
        person = client.post("/v1/staff", {"name": "Grace", "hours": hours})["data"]
        service = {"name": "Blocked drain", "duration_minutes": 60, "price": "180.00", "capacity": 100}
        service_id = client.post("/v1/services", service)["data"]["id"]
        booking = {"client_id": contact["id"], "service_id": service_id, "staff_id": person["id"]}
        booking |= {"start_at": "2026-11-23T09:00:00+11:00", "location": "12 Elizabeth St, Hobart"}
        return {"/v1/services": service, "/v1/bookings": booking}
