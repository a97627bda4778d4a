"""The page that shows every part which pages are made of."""

from billycan_users.api import Answer, Screen, Shown, Visit, mounted


def show_components(visit: Visit) -> Answer:
    return Shown("dashboard/components.html")


screens = mounted(Screen("/dashboard/components", show_components, show_components, role="developer"))
