"""Makes a test set of short texts and their domains: cases.py TEXTS COUNT SEED > cases.ndjson."""

import json
import random
import sys
from pathlib import Path

INSTRUCTIONS = (
    "You sort what a user says to an assistant into one of these topics: {}. "
    "Answer with the topic that fits best."
)


def main() -> None:
    texts, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    rows = [json.loads(line) for line in texts.read_text().splitlines()]
    by_domain: dict[str, list[tuple[int, str]]] = {}
    for number, row in enumerate(rows):
        if row["domain"] != "oos":
            by_domain.setdefault(row["domain"], []).append((number, row["text"]))
    domains = sorted(by_domain)
    dice = random.Random(seed)
    for domain in domains:
        dice.shuffle(by_domain[domain])
    schema = {
        "type": "object",
        "properties": {"topic": {"type": "string", "enum": domains}},
        "required": ["topic"],
    }
    for place in range(count):
        domain = domains[place % len(domains)]
        number, text = by_domain[domain][place // len(domains)]
        case = {
            "id": f"text-{number}",
            "task": "sort_text",
            "instructions": INSTRUCTIONS.format(", ".join(domains)),
            "schema": schema,
            "input": text,
            "rule": "class",
            "expected": {"topic": domain},
        }
        print(json.dumps(case))


main()
