#!/bin/sh
# Write the modules of the Python client that follow from the API: api, models and webhooks. They are not in the tree.
set -eu
cd "$(dirname "$0")/.."
package=plugins/client/billycan_client

# Neither a configuration of this machine nor variables of this shell may change what the client has.
ours=$(env | sed -n 's/^\(BILLYCAN_[A-Z_]*\)=.*/-u \1/p')
# shellcheck disable=SC2086 # each is a word
env $ours BILLYCAN_CONFIG=/dev/null .venv/bin/billycan openapi >.venv/openapi.json
.venv/bin/python -m billycan_generator .venv/openapi.json --into $package
