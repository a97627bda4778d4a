"""Handlers of branding: one function for each route."""

from contextlib import suppress

import msgspec
import sqlalchemy as sa

from billycan import Context, Deleted, Invalid, NotFound, Patch, own
from billycan.paper import Paper
from billycan.sql import upsert

from .branding import LOGO_TYPES, MOST_LOGO_BYTES, load_branding
from .schemas import Branding, NewBranding
from .tables import branding

MOST_PIXELS = 4096 * 4096


def get_branding(ctx: Context) -> Branding:
    """The look of the business's documents.

    Where a member is null, the deployment's default applies.
    """
    return load_branding(ctx)


def update_branding(ctx: Context, body: Patch[NewBranding]) -> Branding:
    """Change how the business's documents look, on their pages and as PDF files.

    That includes documents that were sent already; a PDF file that was mailed stays as it was. A key that names a logo
    needs the read scope of the record that the file is attached to.
    """
    ctx.take_turns()  # two first changes at once would find no row to lock
    ctx.tenant  # noqa: B018 - read in this transaction
    stored = load_branding(ctx, lock=True)
    ctx.check_version(stored.version)
    before = {name: getattr(stored, name) for name in NewBranding.__struct_fields__}
    after = body.over(before)
    columns = msgspec.structs.asdict(after)
    if columns == before:
        return stored
    if after.logo_attachment_id not in (None, stored.logo_attachment_id):
        _check_logo(ctx, str(after.logo_attachment_id))
    columns |= {"version": stored.version + 1, "updated_at": ctx.now()}
    keys = {"tenant_id": ctx.tenant_id, "id": "branding"}
    written = upsert(branding, ctx.db).values(**keys, **columns)
    ctx.db.execute(written.on_conflict_do_update(index_elements=["tenant_id", "id"], set_=columns))
    return load_branding(ctx)


def forget_logo(ctx: Context, gone: Deleted) -> None:
    """Remove a logo from the branding when its file is deleted."""
    this = own(ctx, branding) & (branding.c.logo_attachment_id == gone.id)
    changed = {"logo_attachment_id": None, "version": branding.c.version + 1, "updated_at": ctx.now()}
    ctx.db.execute(sa.update(branding).where(this).values(changed))


def _check_logo(ctx: Context, id: str) -> None:
    """Raise Invalid unless the attachment is a picture that the caller may read."""
    found = None
    if endpoint := ctx.app.at.get(("GET", "/v1/attachments/{id}")):
        with suppress(NotFound):
            found = endpoint.run(ctx, {}, {"id": id})
    if found is None:
        raise Invalid.member("logo_attachment_id", "not_found", "there is no such attachment")
    if found.content_type not in LOGO_TYPES or found.size > MOST_LOGO_BYTES:
        raise Invalid.member("logo_attachment_id", "invalid_value", "must be PNG, JPEG or WebP of at most 1 MiB")
    from billycan_attachments import api as attachments  # noqa: PLC0415 - the plugin may be off

    content = attachments.read_attachment(ctx, id).content
    size = Paper.Picture(content).size
    if size is None or size[0] * size[1] > MOST_PIXELS:
        raise Invalid.member(
            "logo_attachment_id", "invalid_value", "must be a picture of at most 16 megapixels, such as 4,096 by 4,096"
        )
    if Paper.Picture(content).is_turned:
        raise Invalid.member(
            "logo_attachment_id",
            "invalid_value",
            "must be stored upright: this JPEG relies on its EXIF orientation, which many mail programs ignore. Save it"
            " upright in a picture editor",
        )
