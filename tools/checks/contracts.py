"""Checks lines against the JSON Schemas in schemas/, and exports against their datapackage.json."""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import frictionless
import jsonschema_rs

SCHEMAS = Path(__file__).parents[2] / "schemas"
KINDS = {
    "facts": "fact-v1.schema.json",
    "content": "content-v1.schema.json",
    "records": "evaluation-record-v1.schema.json",
    "reveals": "reveal-v1.schema.json",
    "cases": "test-case-v1.schema.json",
}
SHOWN = 10


def refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def lines(path: Path) -> Iterator[bytes]:
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        yield from file


def problems(path: Path, schema: Any) -> Iterator[str]:
    """What is wrong and where, never the values: the lines may be confidential."""
    for number, line in enumerate(lines(path), start=1):
        try:
            value = json.loads(line, parse_constant=refuse)
        except ValueError:
            yield f"{path}:{number}: not JSON"
            continue
        for error in schema.iter_errors(value):
            where = "/".join(map(str, error.instance_path)) or "(whole line)"
            rule = "/".join(map(str, error.schema_path))
            yield f"{path}:{number}: {where} breaks {rule}"


def package_problems(folder: Path) -> Iterator[str]:
    report = frictionless.validate(str(folder / "datapackage.json"))
    for error in report.errors:
        yield f"{folder}: {error.message}"
    for task in report.tasks:
        for error in task.errors:
            yield f"{folder}: {task.name}: {error.message}"


def show(name: str, found: Iterator[str]) -> bool:
    """Prints the first problems; true if there are none."""
    first = list(islice(found, SHOWN))
    for problem in first:
        print(problem)
    print(f"{'FAILED' if first else 'ok'}: {name}")
    return not first


def main() -> int:
    parser = argparse.ArgumentParser(prog="contracts", description=__doc__)
    for kind, file in KINDS.items():
        note = f"NDJSON, plain or .gz, against {file}"
        parser.add_argument(f"--{kind}", type=Path, nargs="+", default=[], help=note)
    note = "exported folders, against their datapackage.json"
    parser.add_argument("--export", type=Path, nargs="+", default=[], help=note)
    given = parser.parse_args()
    if not any(vars(given).values()):
        parser.error("name at least one file")
    good = []
    for kind, file in KINDS.items():
        if paths := getattr(given, kind):
            document = json.loads((SCHEMAS / file).read_text())
            schema = jsonschema_rs.validator_for(document, validate_formats=True)
            good += [show(str(path), problems(path, schema)) for path in paths]
    # frictionless reads no folder outside the working one unless told that it may.
    with frictionless.system.use_context(trusted=True):
        good += [show(str(folder), package_problems(folder)) for folder in given.export]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
