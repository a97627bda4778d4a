"""CSV as spreadsheets and programs read it."""

import csv
import io
from datetime import date
from decimal import Decimal

import pytest

from billycan import Reply


def read(reply):
    return list(csv.reader(io.StringIO(reply.body.decode(), newline="")))


def test_a_file_has_its_columns_first_and_a_name():
    reply = Reply.csv("owed", ("client", "total"), [("Zoë, Ltd", Decimal("1.10")), ('"Q"\nB', None)])
    assert reply.body == 'client,total\r\n"Zoë, Ltd",1.10\r\n"""Q""\nB",\r\n'.encode()
    assert reply.content_type == "text/csv; charset=utf-8"
    assert reply.headers == {"Content-Disposition": 'attachment; filename="owed.csv"'}


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+A1", "'-2+A1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
        ("+61 (3) 5550 0170", "+61 (3) 5550 0170"),
        ("-12.50", "-12.50"),
        ("03 5550 0170", "03 5550 0170"),
        ("a=b", "a=b"),
        (Decimal("-1210.00"), "-1210.00"),
        (Decimal("1E+3"), "1000"),
        (date(2026, 11, 22), "2026-11-22"),
        (True, "true"),
        (0, "0"),
        (None, ""),
    ],
)
def test_no_text_is_a_formula_and_numbers_stay_numbers(value, cell):
    assert read(Reply.csv("x", ("x", "y"), [(value, "")]))[1] == [cell, ""]
