"""Contacts: the people and companies a business deals with."""

from billycan import Deleted, Manifest, RecordPages, Route

from . import handlers as h
from .demo import add_samples
from .resource import Contact, MergedContact, contacts
from .tables import merged

manifest = Manifest(
    name="contacts",
    tables=(contacts.table, merged),
    events={
        "contact.created": Contact,
        "contact.updated": Contact,
        "contact.merged": MergedContact,
        "contact.deleted": Deleted,
    },
    routes=(
        Route("GET", "/v1/contacts", h.list_contacts, scope="contacts:read"),
        Route("POST", "/v1/contacts", h.create_contact, scope="contacts:write", status=201, imports=True),
        Route("GET", "/v1/contacts/{id}", h.get_contact, scope="contacts:read"),
        Route("PATCH", "/v1/contacts/{id}", h.update_contact, scope="contacts:write"),
        Route("DELETE", "/v1/contacts/{id}", h.delete_contact, scope="contacts:write"),
        Route("POST", "/v1/contacts/{id}/archive", h.archive_contact, scope="contacts:write"),
        Route("POST", "/v1/contacts/{id}/restore", h.restore_contact, scope="contacts:write"),
        Route("GET", "/v1/contacts/{id}/duplicates", h.list_duplicates, scope="contacts:read"),
        Route("POST", "/v1/contacts/{id}/merge", h.merge_contact, scope="contacts:write"),
    ),
    records=(
        RecordPages(
            path="/v1/contacts",
            empty="A contact is anybody you sell to or buy from. Invoices, quotes and jobs are made for one.",
            columns=("name", "roles", "email", "phone", "status"),
            actions={
                "archive": RecordPages.Action(
                    says="Archived contacts stay on existing records, and are not offered for new ones.",
                    asks=True,
                    weight="aside",
                ),
                "merge": RecordPages.Action(
                    label="Merge into another",
                    says="For two entries of the same person or company: whatever names this one names the other from"
                    " then on, and only the other is left. This cannot be undone.",
                    done="The two are one contact now.",
                    weight="ends",
                ),
            },
            suits={"client_id": {"roles": "client"}, "supplier_id": {"roles": "supplier"}},
            labels={"payment_terms_days": "Payment terms (days)", "into": "The contact that is left"},
            hints={
                "into": "It keeps what it says, and takes what it lacks.",
                "gst_registered": "Leave it empty if you do not know.",
                "contractor": "What you pay them is reported to the tax office once a year.",
                "payment_terms_days": "How long they have to pay. Leave it empty for your own terms.",
                "abn": "",
                "country": "Two letters. Leave it empty for Australia.",
                "kind": "",
                "phone": "",
                "roles": "You sell to clients, and buy from suppliers.",
            },
            order=10,
            daily=True,
        ),
    ),
    demo=add_samples,
    codes={"abn_differs": (409, "The two contacts have different ABNs: clear the wrong one first.")},
)
