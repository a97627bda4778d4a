"""The owner of a business before a browser; each file makes the business."""

import pytest


@pytest.fixture
def owner(client):
    # Where users is not installed this file is loaded all the same, and the tests beside it are left out.
    from billycan_users.testing import Browser

    return Browser(client.app).join(client)
