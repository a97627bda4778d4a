"""The page that a business opens first."""

from billycan_users.api import Answer, Screen, Shown, Visit, mounted


def show_overview(visit: Visit) -> Answer:
    return Shown("dashboard/overview.html")


screens = mounted(Screen("/dashboard", show_overview, nav="Overview"))
