"""Pages of a plugin's records in the dashboard: how they differ from those that it makes of every resource."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

if TYPE_CHECKING:
    pass


class RecordPages(Struct, frozen=True, kw_only=True):
    """Differences from the default on the pages that a dashboard makes of a plugin's records.

    The dashboard builds the pages of every resource from its routes, Structs and `allowed_actions`. The process does
    not start if the plugin does not list the path, show the columns or take the sort.

    path: The list's, such as `/v1/assets`.
    title: What the records are called, as in `Staff`; by default, a name made from the path.
    one: What a single one is called, as in `member of staff`; by default, a name made from the Struct's.
    empty: A sentence for an empty list, such as how to create the first record.
    columns: What the list shows; the first column links to the record and names it.
    sort: How the list is sorted until somebody chooses, such as `name` or `-due_date`; by default, as the API sorts it.
    deletable: The statuses in which a record can be deleted; empty if its status does not matter. Only then does the
      page offer to delete it, and can files that are attached to it be deleted.
    kept_by: A column of the table, such as that of the tax period that counted a record: a record with a value in it
      must be kept whatever its status, and so must the files that are attached to it.
    counts_on: The columns of the days on which a record counts: once the books are locked on one of them
      (`locked_until`), its attached files must be kept, too.
    actions: Words for actions by their names, and for those of a row by both: `payments/reverse`.
    labels: What members are called, those of rows as `line_items.total`; by default, made from their names.
    hints: What forms say of members; by default, the Struct's docstring.
    rare: Members that few fill in: forms have them under More.
    fills: What the form of a new record begins with: `{"date": "today"}`; of a time, that is now.
    attaches: A box beside the field that attaches a file, ticked already, and the members that it sets:
      `{"This is the tax invoice": {"tax_invoice_held": True}}`. The form of a new record then begins with a file.
    tells: Events of the plugin's other records that the page lists too, if their data names the record:
      `("payment.recorded",)` on the page of an invoice.
    suits: The members of new records that only some of these suit, with a member that they then have:
      `{"client_id": {"roles": "client"}}`. The page of a contact whose `roles` lack `client` offers no invoice.
    attention: Records that wait for somebody, such as those that are overdue.
    order: Its place in the navigation: lowest first.
    daily: Whether it is among the few entries that the navigation always shows; the others are under More.
    hidden: Whether it has no such pages, for example because the plugin has its own.
    """

    class Action(Struct, frozen=True, kw_only=True):
        """Texts for an action on the pages of a record, if the API's own words do not suit the people of a business.

        label: The button; by default, the action's name.
        says: What stands above the form; by default, the first sentence of the handler's docstring.
        done: What the page says afterwards; by default, the record's new status.
        asks: Whether the button of an action that takes no members asks first.
        weight: `main` for what a visitor most likely came for, `aside` for what is done beside that, and `ends` for
          what ends something: the button that confirms it is red.
        fills: What its form begins with: `{"amount": "amount_due"}` takes that member of the record; `today` is
          the day, or the time.
        buttons: Buttons that carry it out at once, each with the members it sends: `{"Make a job": {"to": "job"}}`. The
          action's own button then leads to all that it takes.
        """

        label: str = ""
        says: str = ""
        done: str = ""
        asks: bool = False
        weight: Literal["main", "aside", "ends"] = "main"
        fills: Mapping[str, str] = {}
        buttons: Mapping[str, Mapping[str, str]] = {}

    class Attention(Struct, frozen=True, kw_only=True):
        """Records that wait for somebody, which the overview begins with; an entry is gone once no record matches.

        title: What they are, such as `Overdue invoices`.
        filters: The filters of the list that has them. A value such as `{1}` is a date, so many days before today:
          `{"status": "draft", "created_at_to": "{1}"}`.
        sort: Which come first. If it is a day or a time, the overview says it beside each.
        action: The action that the overview offers beside each. Without one it offers to attach a file, if that sets a
          member of the filters: see `attaches`.
        page: The page that lists them, if the records have no such pages.
        """

        title: str
        filters: Mapping[str, str]
        sort: str = ""
        action: str = ""
        page: str = ""

    class Place(Struct, frozen=True, kw_only=True):
        """Something that a plugin puts on the pages of records, its own or others'; `offers` of the manifest has it.

        at: Where it stands: `record.actions` has Links among a record's actions, `record.aside` Cards beside its facts,
          `record.below` Parts below them, `list.view` Links above a list, and `form.control` a Part in the place of a
          member's field.
        show: `show(visit, path, record)` yields these. `visit.call("GET", path, query)` calls the API as the visitor;
          if that is refused, the page is shown without them. A list gives its parameters as the third argument, and a
          form the name of the member.
        paths: The lists of the records, such as `/v1/jobs`; empty for all records.
        members: The members whose fields a `form.control` draws.
        scripts: Files of its folder `assets` that these pages load, such as `visits/plan.js`.
        """

        at: Literal["record.actions", "record.aside", "record.below", "list.view", "form.control"]
        show: Callable[..., Any]
        paths: tuple[str, ...] = ()
        members: tuple[str, ...] = ()
        scripts: tuple[str, ...] = ()

    class Link(Struct, frozen=True, kw_only=True):
        """A link of a Place.

        words: What it says.
        page: The address that it leads to.
        opens: Whether it leads to a page, opens that page's form in a dialog where scripts run, or downloads a `file`.
        is_main: Whether it is what a visitor most likely came for: it stands first.
        """

        words: str
        page: str
        opens: Literal["page", "dialog", "file"] = "page"
        is_main: bool = False

    class Part(Struct, frozen=True, kw_only=True):
        """A piece of a page that a Place shows.

        template: The plugin and a file of its folder `templates`: `visits/site.html` is `templates/site.html` of
          `billycan_visits`. That of a `form.control` has the field's `name`, what stands in it as `now`, and its
          declaration as `each`.
        values: What the template has as `values`.
        """

        template: str
        values: Mapping[str, Any] = {}

    path: str
    title: str = ""
    one: str = ""
    empty: str = ""
    columns: tuple[str, ...] = ()
    sort: str = ""
    deletable: tuple[str, ...] = ()
    kept_by: str = ""
    counts_on: tuple[str, ...] = ()
    actions: Mapping[str, Action] = {}
    labels: Mapping[str, str] = {}
    hints: Mapping[str, str] = {}
    rare: tuple[str, ...] = ()
    fills: Mapping[str, str] = {}
    attaches: Mapping[str, Mapping[str, Any]] = {}
    tells: tuple[str, ...] = ()
    suits: Mapping[str, Mapping[str, str]] = {}
    attention: tuple[Attention, ...] = ()
    order: int = 100
    daily: bool = False
    hidden: bool = False
