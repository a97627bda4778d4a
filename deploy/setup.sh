#!/bin/sh
# Bring .venv to what the locks and pyproject files say; does nothing when it is there already.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
bin=.venv/bin
locks=deploy/requirements
stamp=.venv/billycan-setup

fail() { echo "setup: $*" >&2; exit 1; }

# What the tests need of the system. Without it they are skipped, and the run says so at its end; a machine of CI, which
# exists for nothing else, is given it.
install_missing() {
    missing=
    path=$PATH:/usr/sbin:/usr/local/sbin$(printf :%s /usr/lib/postgresql/*/bin)
    need() { PATH=$path command -v "$1" >/dev/null || missing="$missing $2"; }
    need chromium chromium
    need chromedriver chromium-driver
    need initdb postgresql
    need nginx nginx-light
    need node nodejs
    need npm npm
    need openssl openssl
    need pgbouncer pgbouncer
    need promtool prometheus
    need redis-server redis-server
    need systemd-analyze systemd
    [ -n "$missing" ] || return 0
    echo "setup: installing$missing" >&2
    # Debian starts a service as soon as it is installed; this forbids it.
    policy=/usr/sbin/policy-rc.d
    [ -e $policy ] || { trap "rm -f $policy" EXIT; printf '#!/bin/sh\nexit 101\n' >$policy; chmod 755 $policy; }
    apt-get update -qq >/dev/null 2>&1 </dev/null || :
    for package in $missing; do
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$package" >/dev/null 2>&1 </dev/null ||
            echo "setup: could not install $package" >&2
    done
}
[ -z "${CI:-}" ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || install_missing

set --
for project in pyproject.toml core/pyproject.toml plugins/*/pyproject.toml examples/*/pyproject.toml; do
    [ ! -f "$project" ] || set -- "$@" "$project"
done
wanted=$(cksum deploy/setup.sh $locks/*.txt "$@")
# The scripts in .venv name its folder, and its packages belong to one interpreter.
place() { pwd -P; readlink -f $bin/python || :; }
# Another one that is named is wanted, and the command may be a script that starts it.
named() { readlink -f "$("$python" -c 'import sys; print(sys.executable)')" || :; }
wanted_python() { [ -z "${PYTHON:-}" ] || [ "$(named)" = "$(readlink -f $bin/python)" ]; }
usable() { [ -x $bin/python ] && [ "$(head -n 2 $stamp 2>/dev/null)" = "$(place)" ] && wanted_python; }
ready() { usable && [ "$(cat $stamp)" = "$(place; echo "$wanted")" ]; }

# Three modules of the client follow from the API, of which docs/openapi.json has every line.
client=plugins/client/billycan_client
client_stamp=.venv/billycan-client
client_inputs() { cksum deploy/client.sh $locks/development.txt docs/openapi.json plugins/client/billycan_generator/*.py; }
client_ready() {
    [ ! -d $client ] || { [ -f $client/api.py ] && [ -f $client/models.py ] && [ -f $client/webhooks.py ] &&
        [ "$(cat $client_stamp 2>/dev/null)" = "$(client_inputs)" ]; }
}

ready && client_ready && exit
# Two makes at once take turns, where flock exists.
exec 9<deploy/setup.sh
flock 9 2>/dev/null || :
make_client() {
    client_ready && return
    rm -f $client_stamp
    sh deploy/client.sh
    client_inputs >$client_stamp
}
if ready; then
    make_client
    exit
fi
echo "setup: preparing .venv" >&2

if ! usable; then
    command -v "$python" >/dev/null || fail "no $python here: install Python 3.11 or newer, or name one with PYTHON="
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "billycan needs Python 3.11 or newer and $python is $("$python" -V 2>&1): name another with PYTHON="
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        fail "$python cannot make virtual environments: install the Debian package python3-venv"
    "$python" -m venv --clear .venv
fi
# An interrupted set-up must leave no stamp, so that the next one starts afresh.
rm -f $stamp
$bin/python -m pip install -qq --disable-pip-version-check --require-hashes --no-deps -r $locks/installer.txt
# Installed, not synchronized, which would take out plugins of others that are being written here.
# uv is several times quicker, but only pip reads the machine's pip configuration (its own index, certificates).
$bin/uv pip install -q --python $bin/python --require-hashes --no-deps -r $locks/development.txt 2>/dev/null ||
    $bin/python -m pip install -qq --disable-pip-version-check --require-hashes --no-deps -r $locks/development.txt
for project; do
    set -- "$@" -e "./$(dirname "$project")"
    shift
done
$bin/uv pip install -q --python $bin/python --no-deps "$@"
# Without bytecode the first start takes three times as long, and where Python may not write it, each one does.
$bin/python -m compileall -q -j 0 core plugins $($bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') >/dev/null || :
{ place; echo "$wanted"; } >$stamp
make_client
