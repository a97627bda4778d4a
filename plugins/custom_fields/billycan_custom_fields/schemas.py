"""Structs that clients send and receive."""

import re
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from billycan import Deleted, Member, NewResource, Resource, RuleBroken
from billycan.fields import Name, Text

Type = Literal["text", "number", "money", "date", "boolean", "choice"]


def _check_choice(text: str) -> str:
    if "," in text or "\n" in text:
        raise RuleBroken("invalid_value", "must not contain a comma or a line break")
    return text


def _check_resource(text: str) -> str:
    if not re.fullmatch("[a-z][a-z0-9_/]*", text, re.ASCII):
        raise RuleBroken("invalid_value", "must be the name of a resource, as in the path of its list")
    return text


def _check_key(text: str) -> str:
    if not re.fullmatch("[a-z][a-z0-9_]*", text, re.ASCII) or text == "id":
        raise RuleBroken("invalid_value", "must be lower-case letters, digits and _, such as paint_colour")
    return text


Choice = Annotated[str, Text("A choice: 1 to 100 characters, without commas.", least=1, most=100, check=_check_choice)]
Choices = Annotated[list[Choice], Meta(max_length=100)]
Key = Annotated[
    str,
    Text(
        "A key: a letter, then letters, digits and `_`; at most 40 characters, all lower case.",
        least=1,
        most=40,
        pattern="^[a-z][a-z0-9_]{0,39}$",
        check=_check_key,
    ),
]
ResourceName = Annotated[
    str, Text("The name of a resource, as in its path, such as `contacts`.", least=1, most=100, check=_check_resource)
]


class NewCustomField(NewResource, kw_only=True):
    """A member that the business adds to the records of a resource.

    resource: Whose records have it, named as in the path of their list, such as `contacts`.
    key: Its name in `custom`; unique among those of the resource.
    type: What its values are: text of up to 500 characters, a number of up to 4 decimal places, an amount of money, a
      date, true or false, or one of the `choices`.
    choices: What a `choice` may be, in order; empty for any other type.
    required: Whether every new record must have it, and none can lose it; records that exist may lack it.
    on_document: Whether invoices, quotes and adjustment notes show it to the client.
    label: What people call it; by default, made from the key.
    """

    resource: Annotated[ResourceName, Member(filter="any", sort="indexed")]
    key: Annotated[Key, Member(filter="one", sort=True, search=True)]
    type: Annotated[Type, Member(filter="any")]
    choices: Choices = []
    required: Annotated[bool, Member(filter="one")] = False
    on_document: bool = False
    label: Annotated[Name | None, Member(sort=True, search=True, role="title")] = None

    def __post_init__(self) -> None:
        check_choices(self.type, self.choices)


class CustomFieldChange(NewResource, kw_only=True):
    """A change of a custom field.

    choices: What a `choice` may be, in order.
    required: Whether every new record must have it, and none can lose it; records that exist may lack it.
    on_document: Whether invoices, quotes and adjustment notes show it to the client.
    label: What people call it; by default, made from the key.
    clear_values: Whether values that `choices` no longer has may be removed from records.
    """

    choices: Choices = []
    required: bool = False
    on_document: bool = False
    label: Name | None = None
    clear_values: Annotated[bool, Member(stored=False)] = False


class CustomField(Resource):
    """A custom field, as it is shown."""

    resource: str
    key: str
    type: Type
    choices: list[str]
    required: bool
    on_document: bool
    label: str


class Clearing(Struct, forbid_unknown_fields=True, kw_only=True):
    """The parameter of a deletion.

    clear_values: Whether the values that records have may be removed.
    """

    clear_values: bool = False


class HasCustom(Struct, kw_only=True):
    """The custom values that a record shows.

    custom: The values of the business's custom fields by their keys; those that are not set are left out.
    """

    custom: dict[str, Any] = {}


class TakesCustom(Struct, kw_only=True):
    """The custom values that a client sends with a record.

    custom: Values for the business's custom fields, by their keys.
    """

    custom: dict[str, Any] = {}


Asked = Annotated[dict[str, str], Meta(max_length=10)]


class AsksCustom(Struct, kw_only=True):
    """The parameters that lists take for custom fields.

    custom: Records whose custom fields have each `custom[key]=value`; of a choice, several values separated by commas.
    custom_from: Records whose number, amount or date is at least that of `custom[key]_from=value`.
    custom_to: Records whose number, amount or date is at most that of `custom[key]_to=value`.
    """

    custom: Asked | None = None
    custom_from: Asked | None = None
    custom_to: Asked | None = None


class MergedContact(Struct):
    """A contact into which another was merged.

    id: Its id.
    merged: The other, which is gone.
    """

    id: str
    merged: Deleted


def check_choices(type: str, choices: list[str]) -> None:
    """Raise RuleBroken if a field of this type cannot have these choices."""
    if type == "choice" and not choices:
        raise RuleBroken("required", "must name at least one choice", ".choices")
    if type != "choice" and choices:
        raise RuleBroken("invalid_value", f"are for the type choice only, and this is {type}", ".choices")
    if len({*choices}) < len(choices):
        raise RuleBroken("invalid_value", "must each be another", ".choices")
