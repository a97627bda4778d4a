"""Tokens that are accepted, tokens that are refused, and the errors."""

import base64
import hashlib
import hmac
import json

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from billycan.testing import Client, Clock, StartRefused

pytestmark = pytest.mark.sqlite_alone

SECRET = "a secret that the identity provider and the API share, and nobody else"
NOW = int(Clock.START.timestamp())
GOOD = {"iss": "https://id.example.com", "aud": "billycan", "sub": "ada", "exp": NOW + 60, "scope": "contacts:read"}
SETTINGS = {"issuer": GOOD["iss"], "audience": GOOD["aud"]}
HS256 = {**SETTINGS, "algorithm": "HS256", "key": SECRET}


def pem(private):
    public = private.public_key()
    return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.fixture(scope="module")
def rsa_key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def business(make_app):
    """A business in an app that trusts the secret."""
    return Client(make_app("contacts", "sso_auth", sso_auth=HS256))


def signed(client, key=SECRET, algorithm="HS256", header=None, **claims):
    """A token for a client's business; a claim of None is left out."""
    given = {**GOOD, "tenant_id": client.tenant_id, **claims}
    given = {name: value for name, value in given.items() if value is not None}
    return jwt.encode(given, key, algorithm=algorithm, headers=header)


def bearing(token):
    return {"Authorization": f"Bearer {token}"}


def test_a_token_may_what_its_scopes_say(business):
    business.post("/v1/contacts", {"name": "Ada"})
    token = bearing(signed(business))
    assert business.get("/v1/contacts", **token)["pagination"]["total"] == 1
    assert business.post("/v1/contacts", {"name": "Bob"}, 403, **token)["error"]["code"] == "insufficient_scope"
    me = business.get("/v1/me", **token)["data"]
    assert (me["id"], me["name"], me["environment"]) == ("sso:ada", "ada", "live")
    assert business.last.headers["X-RateLimit-Limit"] == "100000"
    business.get("/v1/contacts", **bearing(signed(business, aud=["other", "billycan"])))
    business.get("/v1/contacts", 403, **bearing(signed(business, scope=None)))


def test_keys_are_as_before(business):
    business.get("/v1/contacts")
    business.refused(401, "missing_api_key", "GET", "/v1/contacts", headers={"Authorization": ""})
    for other in ("Bearer nonsense", "Basic YTpi.a.b", "Bearer a.b"):
        business.refused(401, "invalid_api_key", "GET", "/v1/contacts", headers={"Authorization": other})


def test_a_token_is_of_one_business_or_its_sandbox(business):
    business.post("/v1/contacts", {"name": "Ada"})
    sandbox = business.sandbox()
    token = bearing(signed(sandbox))
    assert business.get("/v1/contacts", **token)["data"] == []
    assert business.get("/v1/me", **token)["data"]["environment"] == "sandbox"


REFUSED = {
    "expired": ({"exp": NOW - 1}, "expired_token"),
    "of a time that is no number": ({"exp": "later"}, "invalid_token"),
    "that never ends": ({"exp": None}, "invalid_token"),
    "that ends at no time": ({"exp": float("nan")}, "expired_token"),
    "not valid yet": ({"nbf": NOW + 60}, "invalid_token"),
    "of another issuer": ({"iss": "https://evil.example.com"}, "invalid_token"),
    "of no issuer": ({"iss": None}, "invalid_token"),
    "for another audience": ({"aud": "another"}, "invalid_token"),
    "for no audience": ({"aud": None}, "invalid_token"),
    "of nobody": ({"sub": None}, "invalid_token"),
    "of no business": ({"tenant_id": None}, "invalid_token"),
    "of an unknown business": ({"tenant_id": "ten_nowhere"}, "invalid_token"),
    "of a business that is no text": ({"tenant_id": ["ten_nowhere"]}, "invalid_token"),
    "of a business with a NUL": ({"tenant_id": "ten_\0"}, "invalid_token"),
    "signed with another key": ({"key": "another secret that nobody shares with us"}, "invalid_token"),
    "signed by another algorithm": ({"algorithm": "HS512"}, "invalid_token"),
}


@pytest.mark.parametrize(("claims", "code"), REFUSED.values(), ids=REFUSED)
def test_a_token_is_refused(business, claims, code):
    token = signed(business, **claims)
    business.refused(401, code, "GET", "/v1/contacts", headers=bearing(token))
    assert business.last.headers["WWW-Authenticate"] == "Bearer"
    assert token not in business.last.text


def test_an_expired_token_was_good_before(business, clock):
    token = bearing(signed(business))
    business.get("/v1/contacts", **token)
    clock.move(seconds=61)
    business.refused(401, "expired_token", "GET", "/v1/contacts", headers=token)


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")


def test_an_unsigned_or_changed_token_is_refused(business):
    head, body, signature = signed(business).split(".")
    claims = part({**GOOD, "tenant_id": business.tenant_id, "scope": "read write"})
    unsigned = [b".".join([part({"alg": alg, "typ": "JWT"}), claims, b""]).decode() for alg in ("none", "None", "NONE")]
    for token in (*unsigned, f"{head}.{claims.decode()}.{signature}", f"{head}.{body}.", f"{head}.{body}.é", ".."):
        sent = bearing(token.encode().decode("latin-1"))
        business.refused(401, "invalid_token", "GET", "/v1/contacts", headers=sent)


def test_a_public_key_is_never_taken_for_a_secret(make_app, rsa_key):
    settings = {**SETTINGS, "key": pem(rsa_key)}
    client = Client(make_app("contacts", "sso_auth", sso_auth=settings))
    client.get("/v1/contacts", **bearing(signed(client, rsa_key, "RS256")))
    # PyJWT would not make this one.
    start = part({"alg": "HS256", "typ": "JWT"}) + b"." + part({**GOOD, "tenant_id": client.tenant_id})
    mac = hmac.digest(settings["key"].encode(), start, hashlib.sha256)
    forged = start + b"." + base64.urlsafe_b64encode(mac).rstrip(b"=")
    client.refused(401, "invalid_token", "GET", "/v1/contacts", headers=bearing(forged.decode()))
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    client.refused(401, "invalid_token", "GET", "/v1/contacts", headers=bearing(signed(client, other, "RS256")))
    own_key = signed(client, other, "RS256", header={"jwk": {"kty": "RSA"}, "jku": "https://evil.example.com"})
    client.refused(401, "invalid_token", "GET", "/v1/contacts", headers=bearing(own_key))


def test_an_elliptic_key_will_do(make_app):
    key = ec.generate_private_key(ec.SECP256R1())
    settings = {**SETTINGS, "key": pem(key), "algorithm": "ES256"}
    client = Client(make_app("contacts", "sso_auth", sso_auth=settings))
    client.get("/v1/contacts", **bearing(signed(client, key, "ES256")))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"issuer": ""}, "set BILLYCAN_SSO_AUTH__ISSUER"),
        ({"audience": ""}, "set BILLYCAN_SSO_AUTH__AUDIENCE"),
        ({"key": ""}, "set BILLYCAN_SSO_AUTH__KEY"),
        ({"key": "short"}, "BILLYCAN_SSO_AUTH__KEY must be a secret of at least 32 bytes for HS256"),
        ({"algorithm": "RS256"}, "BILLYCAN_SSO_AUTH__KEY must be a public key in PEM for RS256"),
        ({"key": f"-----BEGIN PUBLIC KEY-----{SECRET}"}, "BILLYCAN_SSO_AUTH__KEY must be a secret of at least"),
    ],
)
def test_no_app_starts_with_settings_that_trust_nobody_or_anybody(make_app, changed, said):
    with pytest.raises(StartRefused, match=f"^sso_auth failed to start: {said}") as caught:
        make_app("contacts", "sso_auth", sso_auth={**HS256, **changed})
    assert SECRET not in str(caught.value)
