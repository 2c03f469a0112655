# Makes a pinned Python environment once. Sourced with $tool set to the folder that holds
# requirements.txt; leaves the environment's path, .venv/NAME at the repository's root, in $venv.
venv=$tool/../../.venv/$(basename "$tool")
if ! cmp -s "$tool/requirements.txt" "$venv/installed.txt"; then
    echo "$(basename "$tool"): installing the pinned packages into .venv/$(basename "$tool")" >&2
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$tool/requirements.txt"
    cp "$tool/requirements.txt" "$venv/installed.txt"
fi
