"""Contacts: the people and companies a business deals with."""

from pathlib import Path

from billycan import Deleted, Manifest, Route

from .demo import add_samples
from .handlers import (
    archive_contact,
    create_contact,
    delete_contact,
    get_contact,
    list_contacts,
    restore_contact,
    update_contact,
)
from .schemas import Contact
from .tables import contacts

manifest = Manifest(
    name="contacts",
    tables=(contacts,),
    migrations=Path(__file__).parent / "migrations",
    events={"contact.created": Contact, "contact.updated": Contact, "contact.deleted": Deleted},
    routes=(
        Route("GET", "/v1/contacts", list_contacts, scope="contacts:read"),
        Route("POST", "/v1/contacts", create_contact, scope="contacts:write", status=201),
        Route("GET", "/v1/contacts/{id}", get_contact, scope="contacts:read"),
        Route("PATCH", "/v1/contacts/{id}", update_contact, scope="contacts:write"),
        Route("DELETE", "/v1/contacts/{id}", delete_contact, scope="contacts:write"),
        Route("POST", "/v1/contacts/{id}/archive", archive_contact, scope="contacts:write"),
        Route("POST", "/v1/contacts/{id}/restore", restore_contact, scope="contacts:write"),
    ),
    demo=add_samples,
    examples=Path(__file__).parent / "examples.json",
)
