"""Contacts, declared once: what is sent, shown, filtered, sorted, searched and stored."""

from typing import Annotated, Any, Literal

import sqlalchemy as sa
from msgspec import Meta, Struct, field

from billycan import Actions, Address, Context, Member, NewResource, Query, Resource, Row, own, resource
from billycan.fields import Abn, Email, Id, Name, Notes, Phone, Text, Url

Kind = Literal["person", "company"]
Role = Literal["client", "supplier"]
Status = Literal["active", "archived"]

Tag = Annotated[str, Text("A tag: 1 to 50 characters.", least=1, most=50)]


class NewPerson(Struct, forbid_unknown_fields=True, kw_only=True):
    """A person to contact.

    name: Their name.
    role: What they do there, such as `Accounts`.
    email: Their email address.
    phone: Their phone number.
    """

    name: Name
    role: Name | None = None
    email: Email | None = None
    phone: Phone | None = None


class NewContact(NewResource, kw_only=True):
    """A person or company the business deals with.

    name: Their name.
    kind: Whether it is a person or a company.
    roles: Whether the business sells to them, buys from them, or both.
    email: Their email address.
    phone: Their phone number, spaced as you like.
    website: Their web address.
    abn: Their ABN, whose check digits are verified; shown as 11 digits.
    gst_registered: Whether they are registered for GST; null if unknown.
    contractor: Whether payments to them are reported to the tax office as taxable payments.
    billing_address: Where their invoices are sent; shown on them.
    site_address: Where the work is done.
    people: People to contact.
    payment_terms_days: Days until their invoices are due; if null, the business's own terms apply.
    notes: The business's internal notes.
    tags: Tags to find them by.
    """

    name: Annotated[Name, Member(sort="indexed", search=True)]
    kind: Annotated[Kind, Member(filter="any")] = "company"
    roles: Annotated[list[Role], Meta(min_length=1, max_length=2)] = field(default_factory=lambda: ["client"])
    email: Annotated[Email | None, Member(filter="one", search=True)] = None
    phone: Annotated[Phone | None, Member(search=True)] = None
    website: Url | None = None
    abn: Annotated[Abn | None, Member(filter="one", search=True)] = None
    gst_registered: bool | None = None
    contractor: bool = False
    billing_address: Address | None = None
    site_address: Address | None = None
    people: Annotated[list[NewPerson], Meta(max_length=50), Member(search=True)] = []
    payment_terms_days: Annotated[int, Meta(ge=0, le=365)] | None = None
    notes: Notes | None = None
    tags: Annotated[list[Tag], Meta(max_length=50)] = []

    def __post_init__(self) -> None:
        self.roles, self.tags = list(dict.fromkeys(self.roles)), list(dict.fromkeys(self.tags))


class Contact(Resource):
    """A contact as it is shown.

    status: Whether they are active, or archived by `archive`.
    """

    name: str
    kind: Kind
    roles: list[Role]
    status: Annotated[Status, Member(filter="any", role="status", good=("active",), ends=("archived",))]
    email: str | None
    phone: str | None
    website: str | None
    abn: str | None
    gst_registered: bool | None
    contractor: bool
    billing_address: Address | None
    site_address: Address | None
    people: list[NewPerson]
    payment_terms_days: int | None
    notes: str | None
    tags: list[str]


class MergedContact(Struct):
    """A contact that another one was merged into.

    id: Its id.
    merged: The other contact, as GET last returned it. Its id now leads to this one.
    """

    id: str
    merged: dict[str, Any]


class ContactMerge(Struct, forbid_unknown_fields=True, kw_only=True):
    """Merging a contact into another.

    into: The contact that is left, and keeps its id: an active one.
    """

    into: Id


class ContactQuery(Query[Contact], kw_only=True):
    """Parameters of the list of contacts besides those of its members.

    role: Contacts with this role.
    tag: Contacts with this tag.
    contractor: Contacts whose payments are reported, or the others.
    duplicated: Contacts whose ABN or email address another contact has, too, or the others.
    """

    role: Role | None = None
    tag: Tag | None = None
    contractor: bool | None = None
    duplicated: bool | None = None


def has_role(ctx: Context, role: str) -> sa.ColumnElement[bool]:
    """Match contacts with a role."""
    return ctx.json_list_has(contacts.table.c.roles, role)


def has_tag(ctx: Context, tag: str) -> sa.ColumnElement[bool]:
    """Match contacts with a tag."""
    return ctx.json_list_has(contacts.table.c.tags, tag)


def is_duplicated(ctx: Context, wanted: bool) -> sa.ColumnElement[bool]:
    """Match contacts whose ABN or email address another one has, too, or the others."""
    table = contacts.table
    marks = (table.c.abn, sa.func.lower(table.c.email))
    twice = [
        mark.in_(sa.select(mark).where(own(ctx, table)).group_by(mark).having(sa.func.count() > 1)) for mark in marks
    ]
    # Of a contact without an ABN or an email address, SQL would not know.
    found: sa.ColumnElement[bool] = sa.func.coalesce(sa.or_(*twice), sa.false())
    return found if wanted else sa.not_(found)


def is_like(ctx: Context, contact: Row) -> sa.ColumnElement[bool]:
    """Match the other contacts that have a contact's ABN or, in upper or lower case, its email address."""
    table, same = contacts.table, []
    if contact.abn is not None:
        same.append(ctx.search_condition(table, contact.abn) & (table.c.abn == contact.abn))
    if contact.email is not None:
        has_email = sa.func.lower(table.c.email) == contact.email.lower()
        same.append(ctx.search_condition(table, contact.email) & has_email)
    found: sa.ColumnElement[bool] = ctx.either(table, *same) if same else sa.false()
    return sa.and_(found, table.c.id != contact.id)


actions = Actions(
    {
        "archive": ("active", "archived"),
        "restore": ("archived", "active"),
        "merge": ("active archived", None),
    }
)

contacts = resource(
    "contacts",
    sends=NewContact,
    shows=Contact,
    prefix="con",
    query=ContactQuery,
    more=(
        # Few are known not to be registered, and every sum of claims looks for them.
        sa.Index(
            "ix_contacts_not_registered",
            "tenant_id",
            "id",
            sqlite_where=sa.text("NOT gst_registered"),
            postgresql_where=sa.text("NOT gst_registered"),
        ),
    ),
    filters={"role": has_role, "tag": has_tag, "duplicated": is_duplicated},
    actions=lambda contact: actions.allowed(contact.status),
    needs={"allowed_actions": ("status",)},
    remembers=True,
)
