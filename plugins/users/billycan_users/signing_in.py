"""The pages to sign in and out, accept invitations, choose new passwords, and switch the business."""

import hashlib
from urllib.parse import quote

import sqlalchemy as sa
from msgspec import Struct

from billycan import Fault, Forbidden, Invalid, NotFound

from . import codes, passkeys, passwords, people, sessions, sign_in_attempts, ways_in
from .page_request import Led, Shown, Visit
from .page_routes import SIGN_IN, Answer, Screen, local_path
from .people import ENTER, INVITATIONS, OPERATE, RESET, Link
from .rules import WORDS
from .tables import sessions as table
from .tables import users

_WRONG = "The email address or the password is wrong."


def show_sign_in(visit: Visit) -> Answer:
    onward = local_path(visit.form.get("next") or visit.query.get("next") or "/dashboard")
    if visit.session_if_any and visit.session.is_complete and not visit.form:
        return Led(onward)
    if visit.session_if_any and not visit.session.is_complete:
        return Shown("users/code.html", {"next": onward})
    return Shown("users/sign_in.html", {"next": onward, "has_passkeys": passkeys.are_possible(visit.app)})


def sign_in(visit: Visit) -> Answer:
    """Check a password, or the second factor of a person whose password was right."""
    if visit.session_if_any and not visit.session.is_complete:
        return _second_factor(visit)
    email, password = visit.form.get("email", "").strip().casefold(), visit.form.get("password", "")
    faults = [Fault(n, "required", "is required") for n, text in (("email", email), ("password", password)) if not text]
    if faults:
        raise Invalid.of(*faults)
    app = visit.app
    account = visit.counted_as(f"email:{hashlib.sha256(email.encode()).hexdigest()}", email)
    try:
        taken = sign_in_attempts.count_attempt(app, account, f"address:{visit.network}")
    except sign_in_attempts.Wait as wait:
        raise Invalid(f"Too many wrong passwords: please try again in {wait}.") from None
    with app.db.reading() as db:
        user = db.execute(sa.select(users).where(users.c.email == email)).first()
    if not visit.is_password(taken, user.password if user else None, password) or user is None:
        raise Invalid(_WRONG)
    rehashed = passwords.hash_password(password) if passwords.is_outdated(user.password) else user.password
    has_more = user.totp is not None
    with app.db.writing() as db:
        sign_in_attempts.clear_attempts(db, app.now(), taken)
        # Unless the password was changed in between.
        same = sa.update(users).where(users.c.id == user.id, users.c.password == user.password)
        if db.execute(same.values(password=rehashed)).rowcount != 1:
            raise Invalid(_WRONG)
        visit.enter(db, user.id, email, is_complete=not has_more)
    onward = local_path(visit.form.get("next") or "/dashboard")
    return Led(f"{SIGN_IN}?next={quote(onward)}" if has_more else onward)


def _second_factor(visit: Visit) -> Answer:
    app, session = visit.app, visit.session
    # Somebody who knows only the password must not lock its owner out with wrong codes.
    counted_as = visit.counted_as(f"code:{session.user_id}")
    codes.prove_code(app, session.user_id, visit.form.get("code", ""), counted_as)
    with app.db.writing() as db:
        if not sessions.end_sessions(db, table.c.id == session.id):
            raise Forbidden("You were signed out meanwhile: sign in again.")
        # A new cookie: somebody who knew the old one gains nothing from the second factor.
        visit.enter(db, session.user_id, session.email, is_complete=True)
    return Led(local_path(visit.form.get("next") or "/dashboard"))


def sign_out(visit: Visit) -> Answer:
    if visit.session_if_any:
        with visit.app.db.writing() as db:
            sessions.end_sessions(db, table.c.id == visit.session.id)
    visit.cookies["session"] = None
    return Led(SIGN_IN, "You are signed out.")


def show_join(visit: Visit, token: str) -> Answer:
    with visit.app.db.reading() as db:
        link = people.read_link(db, token, visit.app.now())
        offer = _find_offer(db, link) if link else None
    if link is None or offer is None:
        text = "It was used already, has expired, or was copied in part. Please ask for a new one."
        return Shown("users/refused.html", {"title": "This link does not work", "text": text}, status=404)
    asks = link.purpose != ENTER and not link.needs_sign_in and not _is_own(visit, link)
    return Shown(
        "users/join.html",
        {"link": link, "offer": offer, "asks": asks, "role_words": WORDS, **_words_for(link, offer, asks)},
    )


class Offer(Struct, frozen=True):
    """The content of an invitation: the business's name, the role there, and whether to run the deployment."""

    business: str
    role: str | None
    is_operator: bool


def _find_offer(db: sa.Connection, link: Link) -> Offer:
    business = people.business_name(db, link.business_id) if link.business_id else ""
    return Offer(business, link.role if link.business_id else None, link.purpose == OPERATE)


def _words_for(link: Link, offer: Offer, asks: bool) -> dict[str, str]:
    if link.purpose == ENTER:
        return {"title": "Welcome", "text": f"This signs you in as {link.email}.", "button": "Sign in"}
    if link.purpose == RESET:
        return {"title": "Choose a new password", "text": f"For {link.email}.", "button": "Save the password"}
    text = f"You sign in as {link.email}."
    if link.has_account and asks:
        text = (
            f"There is an account for {link.email}, but nobody has shown that the address is theirs. If you set it up,"
            " sign in first, then open this link again. Otherwise choose a password: it replaces what is there."
        )
    elif link.has_account:
        text = f"{link.email} has an account: sign in to it, and the invitation adds to what it may do."
    title = f"You are invited to {offer.business[:80]}" if offer.business else "You are invited"
    return {"title": title, "text": text, "button": "Accept the invitation"}


def join(visit: Visit, token: str) -> Answer:
    app, form = visit.app, visit.form
    with app.db.reading() as db:
        found = people.read_link(db, token, app.now())
    if found is None:
        raise NotFound
    is_own = _is_own(visit, found)
    if found.needs_sign_in and not is_own:
        if visit.session_if_any and visit.session.is_complete:
            raise Forbidden(f"This invitation is for {found.email}: sign out, then open the link again.")
        return Led(f"{SIGN_IN}?next=/dashboard/join/{token}", f"Sign in as {found.email} to accept the invitation.")
    chosen, name, removed = "", "", 0
    if found.purpose != ENTER and not is_own:
        if found.purpose in INVITATIONS:
            name = people.read_name(form, "name")
        chosen = people.hash_new_password(found.email, form.get("password", ""))
    with app.db.writing() as db:
        link = people.use_link(db, token, found.purpose, app.now())
        if (link.has_account, link.is_proved) != (found.has_account, found.is_proved):
            raise NotFound  # another link was used first: now the account must be proved
        if link.purpose in INVITATIONS:
            visit.check_seen(_find_offer(db, link))
            people.accept_invitation(db, link, app.now())
        if is_own:
            return Led("/dashboard/businesses", "You have accepted the invitation.")
        if chosen:
            proof = ways_in.prove_by_link(link, visit.address)
            removed = ways_in.set_password(db, app, proof, chosen, name=name, proves_address=link.proves)
        user = db.execute(sa.select(users.c.totp).where(users.c.id == link.user_id)).one()
        visit.enter(db, link.user_id, link.email, is_complete=user.totp is None, business_id=link.business_id or "")
    if link.purpose == RESET:
        said = "Your password is changed, and your passkeys are removed." if removed else "Your password is changed."
        return Led("/dashboard/account", f"{said} This page shows what else signs you in.")
    return Led("/dashboard", "Welcome!" if link.purpose in INVITATIONS else "")


def _is_own(visit: Visit, link: Link) -> bool:
    """Tell whether an invitation is for the person who is signed in, and their existing account."""
    if link.purpose not in INVITATIONS or not link.has_account or visit.session_if_any is None:
        return False
    return visit.session.is_complete and visit.session.user_id == link.user_id


def show_businesses(visit: Visit) -> Answer:
    return Shown("users/businesses.html", {"businesses": visit.businesses()})


def switch(visit: Visit) -> Answer:
    """Show another business, or the other environment of this one."""
    chosen, environment = visit.form.get("business"), visit.form.get("environment")
    for business in visit.businesses():
        pair = {"live": business.id, "sandbox": business.sandbox_id}
        wanted = chosen if chosen in pair.values() else None
        if chosen is None and environment in pair and visit.session.tenant_id in pair.values():
            wanted = pair[environment]
        if wanted:
            with visit.app.db.writing() as db:
                sessions.switch_business(db, visit.session.id, visit.session.user_id, wanted)
            return Led(local_path(visit.form.get("next") or "/dashboard"))
    raise NotFound


screens = (
    Screen(SIGN_IN, show_sign_in, sign_in, role=None, anybody=True, always=True, per_minute=60),
    Screen("/dashboard/sign-out", post=sign_out, role=None, anybody=True, always=True, on=SIGN_IN),
    Screen("/dashboard/join/{token}", show_join, join, role=None, anybody=True, per_minute=60),
    Screen("/dashboard/businesses", show_businesses, role=None),
    Screen("/dashboard/switch", post=switch, role=None, always=True, on="/dashboard/businesses"),
)
