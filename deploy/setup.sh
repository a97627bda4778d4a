#!/bin/sh
# Bring .venv to what the locks and pyproject files say; does nothing when it is there already.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
bin=.venv/bin
locks=deploy/requirements
stamp=.venv/billycan-setup

fail() { echo "setup: $*" >&2; exit 1; }

set --
for project in pyproject.toml core/pyproject.toml plugins/*/pyproject.toml examples/*/pyproject.toml; do
    [ ! -f "$project" ] || set -- "$@" "$project"
done
wanted=$(cksum deploy/setup.sh $locks/*.txt "$@")
# The scripts in .venv name its folder, and its packages belong to one interpreter.
place() { pwd -P; readlink -f $bin/python || :; }
usable() { [ -x $bin/python ] && [ "$(head -n 2 $stamp 2>/dev/null)" = "$(place)" ]; }
ready() { usable && [ "$(cat $stamp)" = "$(place; echo "$wanted")" ]; }

ready && exit
# Two makes at once take turns, where flock exists.
exec 9<deploy/setup.sh
flock 9 2>/dev/null || :
ready && exit
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
# The explorer is tested in a browser. Where there is none, those tests are skipped and the run says so at its end.
if [ -n "${CI:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null &&
    ! { command -v chromium && command -v chromedriver; } >/dev/null; then
    { apt-get install -qq -y --no-install-recommends chromium chromium-driver || {
        apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium chromium-driver
    }; } >/dev/null 2>&1 </dev/null || echo "setup: no chromium could be installed" >&2
fi
{ place; echo "$wanted"; } >$stamp
