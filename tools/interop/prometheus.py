"""evalog → node_exporter → Prometheus, each the real program; its answers against the CSV."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0
Sample = tuple[dict[str, str], float]
Value = TypeVar("Value")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextlib.contextmanager
def server(command: list[str], log: Path) -> Iterator[None]:
    """Runs a program as long as the body does, and ends it by its process."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            yield
        finally:
            process.terminate()
            process.wait()


def eventually(what: str, read: Callable[[], Value]) -> Value:
    """What `read` gives once it gives anything."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            if found := read():
                return found
        time.sleep(0.2)
    sys.exit(f"interop: {what} did not come within {PATIENCE:.0f} s")


def query(port: int, expression: str) -> list[Sample]:
    parameters = urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?{parameters}") as response:
        answer = json.load(response)
    return [(each["metric"], float(each["value"][1])) for each in answer["data"]["result"]]


def counted(table: Path) -> Iterator[dict[str, str]]:
    """The rows of the windows that the textfile counts: those that end in this month."""
    start = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    with table.open(newline="") as file:
        for row in csv.DictReader(file):
            if datetime.fromisoformat(row["window_end"]) > start:
                yield row


def evaluations(table: Path) -> Counter[tuple[str, str, str]]:
    """Evaluations by usage, model and outcome, from the CSV."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for row in counted(table):
        for outcome in ("completed", "skipped", "failed", "cancelled"):
            if count := int(row[outcome]):
                counts[row["usage"], row["model"], outcome] += count
    return counts


def p95(table: Path) -> float:
    """The nearest rank over all bins, in seconds, from the CSV."""
    bins = sorted(
        (int(row["lower_us"]), int(row["upper_us"]), int(row["evaluations"]))
        for row in counted(table)
    )
    rank = -(-95 * sum(count for *_, count in bins) // 100)
    for lower, upper, count in bins:
        rank -= count
        if rank <= 0:
            return (lower + upper) / 2e6
    sys.exit("interop: there are no durations")


def version(program: str) -> str:
    printed = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    return (printed.stdout or printed.stderr).split("\n")[0].split("(")[0].strip()


def check_rules() -> None:
    folder = ROOT / "docs" / "prometheus"
    for command in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts.test.yml"]):
        subprocess.run(["promtool", *command], cwd=folder, check=True, capture_output=True)
    print(f"ok: {version('promtool')}: the alert rules and their tests")


def check_metrics(file: Path) -> None:
    command = ["promtool", "check", "metrics"]
    with file.open("rb") as text:
        lint = subprocess.run(command, check=False, stdin=text, capture_output=True, text=True)
    if lint.returncode or lint.stdout or lint.stderr:
        sys.exit(f"interop: promtool check metrics: {lint.stdout}{lint.stderr}")
    print(f"ok: promtool check metrics: {len(file.read_bytes().splitlines())} lines, no complaint")


def scrape(textfile: Path, tables: Path, scratch: Path) -> None:
    exporter, prometheus = free_port(), free_port()
    config = scratch / "prometheus.yml"
    config.write_text(
        "scrape_configs:\n  - job_name: node\n    scrape_interval: 1s\n    static_configs:\n"
        f"      - targets: ['127.0.0.1:{exporter}']\n"
    )
    node = [
        "prometheus-node-exporter",
        "--collector.disable-defaults",
        "--collector.textfile",
        f"--collector.textfile.directory={textfile}",
        f"--web.listen-address=127.0.0.1:{exporter}",
    ]
    server_of_queries = [
        "prometheus",
        f"--config.file={config}",
        f"--storage.tsdb.path={scratch / 'tsdb'}",
        f"--web.listen-address=127.0.0.1:{prometheus}",
    ]
    with (
        server(node, scratch / "exporter.log"),
        server(server_of_queries, scratch / "prometheus.log"),
    ):
        by = "sum by (usage, model, outcome) (evalog_evaluations_total) > 0"
        found: list[Sample] = eventually("a scrape", lambda: query(prometheus, by))
        counts = {
            (labels.get("usage", ""), labels.get("model", ""), labels["outcome"]): int(value)
            for labels, value in found
        }
        expected = evaluations(tables / "evaluations.csv")
        if counts != dict(expected):
            sys.exit(f"interop: Prometheus has {counts}, the CSV {dict(expected)}")
        failed = query(prometheus, "node_textfile_scrape_error")
        if [value for _, value in failed] != [0]:
            sys.exit(f"interop: node_exporter could not read the file: {failed}")
        quantile = (
            "histogram_quantile(0.95, sum by (le) (evalog_evaluation_duration_seconds_bucket))"
        )
        ((_, value),) = query(prometheus, quantile)
        exact = p95(tables / "durations.csv")
        # The edges double, and what lies between two of them is taken for evenly spread.
        if not exact / 2 <= value <= exact * 2:
            sys.exit(f"interop: Prometheus estimates a p95 of {value} s, the bins say {exact} s")
        print(f"ok: {version('prometheus-node-exporter')}: read the file")
        print(
            f"ok: {version('prometheus')}: {sum(counts.values())} evaluations in {len(counts)}"
            f" series as in the CSV, p95 {value:.3f} s (by the bins {exact:.3f} s)"
        )


def main() -> int:
    evalog, log, scratch = map(Path, sys.argv[1:])
    needed = ("promtool", "prometheus", "prometheus-node-exporter")
    if missing := [name for name in needed if shutil.which(name) is None]:
        print(f"interop: Prometheus is not checked: {', '.join(missing)} is not installed")
        return 1 if os.environ.get("EVALOG_CHECKS_ALL") else 0
    textfile, tables = scratch / "textfile", scratch / "tables"
    export = [evalog, "export", "--quiet", "--log", log, "--window", "day"]
    subprocess.run([*export, "--to", textfile, "--format", "textfile"], check=True)
    subprocess.run([*export, "--to", tables], check=True)
    check_rules()
    check_metrics(textfile / "evalog.prom")
    scrape(textfile, tables, scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
