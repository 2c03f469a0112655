"""What OpenTelemetry's own classes make of the OTLP lines, against the CSV."""

from __future__ import annotations

import csv
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Status


def metrics(file: Path) -> dict[str, list[Metric]]:
    """All metrics by name; a member that the classes do not know is an error."""
    found: dict[str, list[Metric]] = {}
    for line in file.read_text().splitlines():
        request = json_format.Parse(line, ExportMetricsServiceRequest())
        for resource in request.resource_metrics:
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    found.setdefault(metric.name, []).append(metric)
    return found


def column_sum(table: Path, *columns: str) -> int:
    with table.open(newline="") as file:
        return sum(int(row[column]) for row in csv.DictReader(file) for column in columns)


def sums(found: list[Metric]) -> int:
    return sum(point.as_int for metric in found for point in metric.sum.data_points)


def check(what: str, ours: int, expected: int) -> None:
    if ours != expected:
        sys.exit(f"interop: {what}: {ours} in OTLP, {expected} in the CSV")


def check_spans(out: Path) -> None:
    """A span for each evaluation, with times, ids and states that the classes accept."""
    spans = [
        span
        for line in (out / "evalog-spans.otlp.jsonl").read_text().splitlines()
        for resource in json_format.Parse(line, ExportTraceServiceRequest()).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    evaluations = out / "evaluations.csv"
    check("spans", len(spans), column_sum(evaluations, "evaluations"))
    failed = sum(span.status.code == Status.STATUS_CODE_ERROR for span in spans)
    check("failed spans", failed, column_sum(evaluations, "failed"))
    check("ids of spans", len({span.trace_id for span in spans}), len(spans))
    lengths = sum(span.end_time_unix_nano - span.start_time_unix_nano for span in spans)
    if any(span.end_time_unix_nano < span.start_time_unix_nano for span in spans) or not lengths:
        sys.exit("interop: spans that end before they begin, or none that lasts")


def main() -> int:
    evalog, log, scratch = map(Path, sys.argv[1:])
    out = scratch / "otlp"
    export = [evalog, "export", "--quiet", "--log", log, "--to", out]
    subprocess.run([*export, "--format", "otlp", "--spans", "--format", "csv"], check=True)
    found = metrics(out / "evalog-metrics.otlp.jsonl")
    evaluations = out / "evaluations.csv"
    check("evaluations", sums(found["evalog.evaluations"]), column_sum(evaluations, "evaluations"))
    attempts = sums(found["evalog.evaluation.attempts"])
    check("attempts", attempts, column_sum(evaluations, "attempts"))
    impressions = column_sum(out / "impressions.csv", "impressions")
    check("impressions", sums(found["evalog.impressions"]), impressions)
    durations = column_sum(evaluations, "duration_count")
    plain = [
        point
        for metric in found["gen_ai.client.operation.duration"]
        for point in metric.histogram.data_points
    ]
    exponential = [
        point
        for metric in found["evalog.evaluation.duration"]
        for point in metric.exponential_histogram.data_points
    ]
    check("durations", sum(point.count for point in plain), durations)
    check("buckets", sum(sum(point.bucket_counts) for point in plain), durations)
    buckets = sum(point.zero_count + sum(point.positive.bucket_counts) for point in exponential)
    check("exponential buckets", buckets, durations)
    if any(len(point.bucket_counts) != len(point.explicit_bounds) + 1 for point in plain):
        sys.exit("interop: a histogram needs one count more than it has edges")
    check_spans(out)
    print(
        f"ok: opentelemetry-proto {version('opentelemetry-proto')}: {len(found)} metrics,"
        f" {len(plain)} histograms, as in the CSV"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
