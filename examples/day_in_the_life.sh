#!/bin/sh
# A plumber's day over the API, with nothing but curl: a booking, its job, a quote the client accepts on its page, the
# invoice, the payment, and what the job cost.
#   KEY=svc_test_… examples/day_in_the_life.sh [URL]
# Use a sandbox key: the records stay there.
set -eu
URL=${1:-${URL:-http://127.0.0.1:8000}}
: "${KEY:?set KEY to an API key, such as the sandbox key that billycan serve printed}"

call() { # method path [body]
    method=$1 path=$2 body=${3:-}
    set -- -sS -X "$method" "$URL$path" -H "Authorization: Bearer $KEY"
    [ -z "$body" ] || set -- "$@" -H 'Content-Type: application/json' -d "$body"
    # A key may call 20 times a second.
    until answer=$(curl "$@"); case $answer in *'"code":"rate_limited"'*) false ;; esac; do sleep 1; done
    case $answer in *'"error":null}') ;; *) echo "$method $path: $answer" >&2; exit 1 ;; esac
}
id() { printf '%s' "$answer" | sed 's/^{"data":{"id":"\([^"]*\)".*/\1/'; }
text() { printf '%s' "$answer" | grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d'"' -f4; }
number() { printf '%s' "$answer" | grep -o "\"$1\":-\{0,1\}[0-9.]*" | head -n 1 | cut -d: -f2; }
step() { printf '\n== %s\n' "$*"; }

step "The business"
call GET /v1/tenant
echo "  $(text name), $(text timezone)"

step "A client rings"
call POST /v1/contacts '{"name":"Franklin Guesthouse","kind":"company","phone":"03 5550 0166",
    "site_address":{"line1":"7 Main Road","suburb":"Franklin","state":"TAS","postcode":"7113"}}'
client=$(id) began=$(text created_at); echo "  $client $(text name)"

step "Someone to send, and what they offer"
call POST /v1/staff '{"name":"Mick Doyle","hours":[
    {"day":"monday","start":"08:00","end":"16:00"},{"day":"tuesday","start":"08:00","end":"16:00"},
    {"day":"wednesday","start":"08:00","end":"16:00"},{"day":"thursday","start":"08:00","end":"16:00"},
    {"day":"friday","start":"08:00","end":"16:00"}]}'
staff=$(id); echo "  $staff $(text name)"
call POST /v1/services "{\"name\":\"Inspection\",\"duration_minutes\":60,\"price\":\"110.00\",
    \"buffer_after_minutes\":15,\"staff_ids\":[\"$staff\"]}"
service=$(id); echo "  $service $(text name), $(number duration_minutes) minutes"

step "The first free hour of the week, booked"
today=$(date -u +%Y-%m-%d) week=$(date -u -d '+7 days' +%Y-%m-%d 2>/dev/null || date -u -v+7d +%Y-%m-%d)
call GET "/v1/availability?service_id=$service&from=$today&to=$week"
start=$(text start_at)
call POST /v1/bookings "{\"service_id\":\"$service\",\"start_at\":\"$start\",\"client_id\":\"$client\"}"
booking=$(id); echo "  $booking from $(text start_at) to $(text end_at): $(text status)"

step "The same hour again is refused, with others to choose from"
curl -sS -X POST "$URL/v1/bookings" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
    -d "{\"service_id\":\"$service\",\"start_at\":\"$start\",\"client_id\":\"$client\",\"staff_id\":\"$staff\"}" |
    sed 's/.*"code":"\([a-z_]*\)".*"alternatives":\[{"start_at":"\([^"]*\)".*/  \1; the next is \2/'; echo

step "The booking becomes a job"
call POST /v1/jobs "{\"title\":\"Replace hot water unit\",\"client_id\":\"$client\",\"booking_id\":\"$booking\",
    \"scheduled_start\":\"$start\",\"assignee_ids\":[\"$staff\"],\"checklist\":[
    {\"text\":\"Isolate and drain\",\"required\":true},{\"text\":\"Certificate of compliance\",\"required\":true}]}"
job=$(id); echo "  $job $(text number): $(text status)"
call PATCH "/v1/bookings/$booking" "{\"job_id\":\"$job\"}"

step "A quote, and the client accepts it on its page"
call POST /v1/quotes "{\"client_id\":\"$client\",\"job_id\":\"$job\",\"booking_id\":\"$booking\",
    \"title\":\"New hot water\",\"terms\":\"Payment within 7 days.\",\"line_items\":[
    {\"description\":\"Heat pump unit, 315 L\",\"unit_price\":\"3240.00\"},
    {\"description\":\"Fitting\",\"quantity\":\"6.5\",\"unit\":\"hour\",\"unit_price\":\"98.00\"}]}"
quote=$(id); echo "  $quote $(text number): $(number subtotal) + $(number gst) = $(number total)"
call POST "/v1/quotes/$quote/send"
page=$(text hosted_url) version=$(number version) # as its form has it: what is accepted is what was read
code=$(curl -sS -o /dev/null -w '%{http_code}' "$page" -d decision=accept -d "version=$version" \
    -d 'name=Rosa Franklin' -d terms=yes)
echo "  the page answered $code"
call GET "/v1/quotes/$quote"
echo "  $(text number): $(text status) by $(printf '%s' "$answer" | sed 's/.*"accepted_by":{"name":"\([^"]*\)".*/\1/')"

step "The work is done"
call POST "/v1/jobs/$job/start"; echo "  $(text number): $(text status)"
curl -sS -X POST "$URL/v1/jobs/$job/complete" -H "Authorization: Bearer $KEY" |
    sed 's/.*"code":"\([a-z_]*\)","message":"\([^"]*\)".*/  \1: \2/'; echo
call GET "/v1/jobs/$job"
items=$(printf '%s' "$answer" | grep -o '"id":"chk_[^"]*"' | sed 's/"id":"\(.*\)"/{"id":"\1","done":true}/' | paste -sd, -)
call PATCH "/v1/jobs/$job" "{\"checklist\":[$items]}"
call POST "/v1/jobs/$job/complete" '{"notes":"Unit commissioned, certificate left on site."}'
echo "  $(text number): $(text status)"
call POST "/v1/bookings/$booking/complete"; echo "  the booking: $(text status)"

step "The quote becomes the invoice, to the cent"
call POST "/v1/quotes/$quote/convert" '{"to":"invoice"}'
invoice=$(id); echo "  $invoice $(text number): $(number subtotal) + $(number gst) = $(number total)"
call POST "/v1/invoices/$invoice/send"; echo "  $(text number): $(text status), due $(text due_date)"
call POST "/v1/invoices/$invoice/pay" '{"payment_method":"bank_transfer"}'
echo "  $(text number): $(text status)"

step "What the job cost"
call GET '/v1/expense_categories?per_page=100'
category=$(printf '%s' "$answer" | grep -o '"id":"cat_[^"]*","name":"Materials' | cut -d'"' -f4)
for expense in '"amount":"2145.00","description":"Heat pump unit","tax_invoice_held":true' \
    '"amount":"64.90","description":"Copper and lagging"'; do
    call POST /v1/expenses "{\"date\":\"$today\",\"category_id\":\"$category\",\"job_id\":\"$job\",$expense}"
    echo "  $(id) $(number amount), GST $(number gst): $(text claim_status)"
done
call GET "/v1/expenses/summary?group_by=category&job_id=$job"
printf '%s\n' "$answer" | sed 's/^{"data":\(.*\),"pagination".*/  \1/'

step "Each knows its neighbours"
call GET "/v1/invoices/$invoice"
echo "  invoice: quote $(text quote_id), job $(text job_id), booking $(text booking_id)"
call GET "/v1/jobs/$job"
echo "  job: quote $(text quote_id), booking $(text booking_id)"

step "What happened, oldest first"
call GET "/v1/events?per_page=100&sort=created_at&created_at_from=$began"
printf '%s' "$answer" | grep -o '"event":"[a-z_.]*","created_at":"[^"]*"' |
    sed 's/"event":"\([^"]*\)","created_at":"\([^"]*\)"/  \2 \1/'
