# Makes the pinned environment of the checks once, in .venv/checks at the repository's root.
# Sourced with $here set to this folder; leaves its path in $venv.
venv=$here/../../.venv/checks
if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
    echo "checks: installing the pinned packages into .venv/checks" >&2
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
    cp "$here/requirements.txt" "$venv/installed.txt"
fi
