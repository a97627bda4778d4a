"""Sets of plugins in which each two are together, and each is without the other, start, migrate and answer."""

from itertools import combinations
from pathlib import Path

import msgspec
import pytest
import webtest

from billycan.starting import migrate, versions
from billycan.starting.packages import absent
from billycan.starting.plugins import first_party, installed
from billycan.testing import Client

MANIFESTS = {name: entry.load().manifest for name, entry in installed().items() if name in first_party()}
# Plugins without endpoints that no plugin with endpoints requires, such as pages over all others, are in every set.
BESIDE = {
    n for n, m in MANIFESTS.items() if not m.routes and not any(n in o.requires for o in MANIFESTS.values() if o.routes)
}


def test_what_is_in_the_repository_is_installed():
    """Or the tests of it would be left out, and nobody would hear of it but at the end of the run."""
    folders = {folder.name for folder in (Path(__file__).parents[1] / "plugins").iterdir()}
    assert not (absent() - installed().keys()) & folders


def closure(*names):
    """Return the named plugins and all that they require."""
    found = set(names)
    while missing := {r for n in found for r in MANIFESTS[n].requires} - found:
        found |= missing
    return tuple(sorted(found))


def subsets():
    """List each plugin with all it requires, each two, and all but one and those that require it.

    So each two are on together, and each is on without the other, with as few of the rest as can be, and as many.
    """
    names = sorted(set(MANIFESTS) - BESIDE)
    few = [closure(*some) for size in range(3) for some in combinations(names, size)]
    many = [tuple(n for n in names if one not in closure(n)) for one in names]
    return list(dict.fromkeys([*few, *many, tuple(names)]))


def required(endpoint):
    return any(f.required for f in msgspec.structs.fields(endpoint.signature.query))


@pytest.mark.long
@pytest.mark.whole
@pytest.mark.sqlite_alone
def test_every_subset_starts_and_answers(make_app):
    whole = make_app(*MANIFESTS)
    url = whole.db.url.render_as_string(hide_password=False)
    client = Client(whole)
    everything = {e.route.path for e in whole.endpoints if e.signature.listed and not required(e)}
    made = {"/v1/contacts/{id}/duplicates": client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]}
    assert {path for path in everything if "{" in path} == made.keys()
    assert len(subsets()) > 100
    for names in subsets():
        app = make_app(*closure(*names, *BESIDE), database=url)
        here = webtest.TestApp(app.wsgi)
        mounted = {e.route.path for e in app.endpoints}
        for path in everything:
            # If no resource can have files, nobody may list them.
            refused = path == "/v1/attachments" and {*names} <= {
                *("agents", "attachments", "batch", "calendar", "changes", "clock", "documents", "hosted", "requests"),
                *("sandbox", "search", "users"),
            }
            status = 404 if path not in mounted else 403 if refused else 200
            here.get(path.format(id=made.get(path)), headers=client.headers, status=status)
        app.close()


@pytest.mark.either
def test_each_plugin_migrates_with_no_more_than_it_requires(make_app):
    for name, manifest in MANIFESTS.items():
        app = make_app(*closure(name), fresh=True)
        assert migrate.find_differences(app.db, name, manifest.tables) == []
        Client(app).get("/v1/me")


def test_each_plugin_can_be_dropped_alone(make_app):
    app = make_app(*MANIFESTS, fresh=True, walled=False)  # as the owner of the tables, who alone can drop them
    for name in reversed(list(app.manifests)):
        migrate.drop_plugin(app.db, name, app.manifests[name])
    migrate.upgrade_all(app.db, app.manifests)
    versions.check_schema(app.db, app.manifests)


@pytest.mark.whole
def test_no_plugin_requires_more_than_is_first_party():
    assert all(set(m.requires) | set(m.uses) <= set(MANIFESTS) for m in MANIFESTS.values())
