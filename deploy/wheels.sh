#!/bin/sh
# Put into dist what a server installs, so that nothing is built or run there as root: a wheel of each package here,
# built with the locked uv and nothing else, the locked wheels of others, and requirements.txt with a hash of each.
set -eu
cd "$(dirname "$0")/.."
locks=deploy/requirements
tools=$(mktemp -d)
# What `billycan --version` of the wheel tells; a clone asks git itself.
commit=core/billycan/tools/commit
trap 'rm -rf "$tools" $commit' EXIT
git --git-dir=.git --work-tree=. describe --always --dirty --exclude='*' --abbrev=12 >$commit 2>/dev/null || rm -f $commit

${PYTHON:-python3} -m venv "$tools"
pip="$tools/bin/python -m pip -qq --disable-pip-version-check"
$pip install --only-binary :all: --require-hashes --no-deps -r $locks/installer.txt
# What another patch release of this Python needs, too: Debian 12's 3.11.2 takes a package that 3.11.3 has no use for.
minor=$("$tools/bin/python" -c 'import sys; print("%d[.]%d" % sys.version_info[:2])')
sed -E "s/ ; python_full_version < '$minor[.][0-9]+'//" $locks/runtime.txt >"$tools/runtime.txt"
# While those of others are fetched, our own are built.
$pip download --only-binary :all: --require-hashes --no-deps --dest "$tools/others" -r "$tools/runtime.txt" &
download=$!
rm -rf dist
for project in . core plugins/*; do
    # The client is for those who call a server. uv is the backend that each project names: built so, it fetches none.
    [ "$project" = plugins/client ] || [ ! -f "$project/pyproject.toml" ] || "$tools/bin/uv" build -q --offline --wheel --out-dir dist "./$project"
done
wait $download
ours=$(cd dist && sha256sum -- *.whl)
mv "$tools"/others/* dist
{
    cat $locks/runtime.txt
    echo "$ours" | sed -E 's/^([0-9a-f]+) +([^-]+)-([^-]+)-.*/\2==\3 --hash=sha256:\1/'
} >dist/requirements.txt
