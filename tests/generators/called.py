"""An invoice, an attachment and a PDF by the functions of openapi-python-client."""

import os
from io import BytesIO

from written import AuthenticatedClient
from written.api.attachments import add_attachment
from written.api.contacts import create_contact
from written.api.invoices import create_invoice
from written.api.pdf import get_invoice_as_pdf
from written.models import NewContact, NewInvoice, NewLine
from written.types import File

client = AuthenticatedClient(base_url=os.environ["URL"], token=os.environ["KEY"])
contact = create_contact.sync(client=client, body=NewContact(name="Ada"))
line = NewLine(description="Labour", unit_price="95.50")
invoice = create_invoice.sync(client=client, body=NewInvoice(client_id=contact.data.id, line_items=[line]))
receipt = File(payload=BytesIO(b"%PDF-1.4\n%%EOF"))
attached = add_attachment.sync(client=client, body=receipt, resource=invoice.data.id, filename="a.pdf")
paper = get_invoice_as_pdf.sync(invoice.data.id, client=client)
print(invoice.data.status.value, invoice.data.total, attached.data.content_type.value, paper.payload.read(4).decode())
