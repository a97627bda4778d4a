"""Structs that clients send and receive."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from billycan import Address, NewResource, PageQuery, Resource
from billycan.fields import Abn, Email, Name, Notes, Phone, Search, Tag, Url

Kind = Literal["person", "company"]
Role = Literal["client", "supplier"]
Status = Literal["active", "archived"]


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

    name: Name
    kind: Kind = "company"
    roles: Annotated[list[Role], Meta(min_length=1, max_length=2)] = field(default_factory=lambda: ["client"])
    email: Email | None = None
    phone: Phone | None = None
    website: Url | None = None
    abn: Abn | None = None
    gst_registered: bool | None = None
    contractor: bool = False
    billing_address: Address | None = None
    site_address: Address | None = None
    people: Annotated[list[NewPerson], Meta(max_length=50)] = []
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
    status: Status
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


class ContactQuery(PageQuery, kw_only=True):
    """Filters of contacts.

    role: Contacts with this role.
    contractor: Contacts whose payments are reported, or the others.
    tag: Contacts with this tag.
    """

    sortable = ("created_at", "updated_at", "name")

    search: Search | None = None
    status: list[Status] | None = None
    kind: list[Kind] | None = None
    role: Role | None = None
    tag: Tag | None = None
    contractor: bool | None = None
    email: Email | None = None
    abn: Abn | None = None
