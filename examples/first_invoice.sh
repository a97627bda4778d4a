#!/bin/sh
# A first invoice, and the GST figures that the tax office publishes, with nothing but curl:
#   KEY=svc_test_… examples/first_invoice.sh [URL]
# Use a sandbox key: the script changes the business profile and leaves its documents behind.
set -eu
URL=${1:-${URL:-http://127.0.0.1:8000}}
: "${KEY:?set KEY to an API key, such as the sandbox key that billycan serve printed}"

call() { # method path [body]
    method=$1 path=$2 body=${3:-}
    set -- -sS -X "$method" "$URL$path" -H "Authorization: Bearer $KEY"
    [ -z "$body" ] || set -- "$@" -H 'Content-Type: application/json' -d "$body"
    # A key may call 20 times a second.
    until said=$(curl "$@"); case $said in *'"code":"rate_limited"'*) false ;; esac; do sleep 1; done
    printf '%s' "$said"
}
first() { sed -n "s/^{\"data\":{\"id\":\"\([^\"]*\)\".*/\1/p"; }
amount() { grep -o "\"$1\":-\{0,1\}[0-9.]*" | tail -n 1 | cut -d: -f2; }
step() { printf '\n== %s\n' "$*"; }
line() { printf '{"description":"%s","quantity":%s,"unit_price":"%s","gst_code":"%s"}' "$1" "$2" "$3" "${4:-gst}"; }

total() { # invoice-json name: an amount of the document, not of its lines or payments
    printf '%s' "$1" | sed 's/"gst_breakdown":\[[^]]*\]//; s/"line_items".*//' | amount "$2"
}
status() { # invoice-json: the document's status, which comes before those of its payments
    printf '%s' "$1" | grep -o '"status":"[a-z_]*"' | head -n 1 | cut -d'"' -f4
}
figures() { # label wanted-gst members lines: works an invoice out without storing it
    shown=$(call POST /v1/invoices/preview "{\"client_id\":\"$client\",$3,\"line_items\":[$4]}")
    gst=$(total "$shown" gst)
    printf '  %-44s subtotal %9s  GST %7s  total %9s' "$1" "$(total "$shown" subtotal)" "$gst" "$(total "$shown" total)"
    [ "$gst" = "$2" ] && echo "  as published" || { echo "  EXPECTED GST $2"; exit 1; }
}
repeat() { # count text, separated by commas
    n=$1 out=$2
    while [ "$n" -gt 1 ]; do out="$out,$2" n=$((n - 1)); done
    printf %s "$out"
}

step "Who is calling"
call GET /v1/me; echo

step "A contact"
answer=$(call POST /v1/contacts '{"name":"Salamanca Bakery","email":"orders@example.com","phone":"03 5550 0134"}')
echo "$answer"
client=$(printf '%s' "$answer" | first)

step "A registered business without an ABN cannot send a tax invoice"
call PATCH /v1/tenant '{"gst_registered":true,"abn":null}' >/dev/null
answer=$(call POST /v1/invoices "{\"client_id\":\"$client\",\"reference\":\"Stationery\",\"line_items\":[
$(line Pens 20 1.00),$(line 'Boxes of staples' 10 1.00),$(line Staplers 4 35.00)]}")
invoice=$(printf '%s' "$answer" | first)
printf '  stationery of GSTR 2013/1, example 2: %s + %s = %s\n' \
    "$(total "$answer" subtotal)" "$(total "$answer" gst)" "$(total "$answer" total)"
call POST "/v1/invoices/$invoice/send"; echo

step "With its ABN it can"
call PATCH /v1/tenant '{"abn":"47 555 222 000"}' >/dev/null
call POST "/v1/invoices/$invoice/send"; echo

step "Published figures, both rounding rules of s 9-90 GST Act"
exclusive='"amounts_are":"exclusive"' inclusive='"amounts_are":"inclusive"'
by_total='"gst_rounding":"total_invoice"' by_line='"gst_rounding":"per_line"'
figures "3 lines of 1.05 inclusive, by total" 0.29 "$inclusive,$by_total" "$(repeat 3 "$(line Item 1 1.05)")"
figures "3 lines of 1.05 inclusive, by line" 0.30 "$inclusive,$by_line" "$(repeat 3 "$(line Item 1 1.05)")"
figures "2 lines of 0.05 exclusive, by total" 0.01 "$exclusive,$by_total" "$(repeat 2 "$(line Item 1 0.05)")"
figures "2 lines of 0.05 exclusive, by line" 0.02 "$exclusive,$by_line" "$(repeat 2 "$(line Item 1 0.05)")"
figures "15 lines of 0.01 exclusive, by total" 0.02 "$exclusive,$by_total" "$(repeat 15 "$(line Item 1 0.01)")"
figures "15 lines of 0.01 exclusive, by line" 0.00 "$exclusive,$by_line" "$(repeat 15 "$(line Item 1 0.01)")"
figures "10% off 1,000.00 taxable + 1,000.00 export" 90.00 "$exclusive,\"discount_percent\":10" \
    "$(line Here 1 1000.00),$(line Abroad 1 1000.00 export)"

step "Paid in two parts"
for payment in '"amount":87.00,"payment_method":"bank_transfer"' '"amount":"100.00","payment_method":"card"'; do
    answer=$(call POST "/v1/invoices/$invoice/payments" "{$payment}")
    printf '  %s: %s paid, %s due\n' "$(status "$answer")" "$(total "$answer" amount_paid)" "$(total "$answer" amount_due)"
done

step "Lists: filters, search, pages"
for query in 'status=paid&per_page=1' 'search=salamanca&per_page=1' "client_id=$client&sort=-total&per_page=1"; do
    printf '  %-60s ' "/v1/invoices?$query"
    call GET "/v1/invoices?$query" | sed 's/.*"pagination":\({[^}]*"has_more":[a-z]*\).*/\1}/'; echo
done
cursor="" pages=0
while :; do
    page=$(call GET "/v1/contacts?per_page=2&sort=name${cursor:+&cursor=$cursor}")
    pages=$((pages + 1))
    cursor=$(printf '%s' "$page" | sed -n 's/.*"next_cursor":"\([^"]*\)".*/\1/p')
    [ -n "$cursor" ] || break
done
echo "  all contacts by cursor, two at a time: $pages pages"

step "What happened, oldest first"
call GET '/v1/events?per_page=7' |
    grep -o '"event":"[a-z_.]*","created_at":"[^"]*"' | sed 's/"event":"\([^"]*\)","created_at":"\([^"]*\)"/  \2 \1/; 1!G; h; $!d'
