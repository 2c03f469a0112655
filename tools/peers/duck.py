"""DuckDB: duck.py SOURCE OUT.csv [parquet]; SOURCE is a folder of segments or a Parquet file."""

from __future__ import annotations

import sys

import duckdb

FIELDS = {
    "type": "VARCHAR",
    "id": "UUID",
    "time": "TIMESTAMP",
    "usage": "VARCHAR",
    "subject": "VARCHAR",
    "session": "VARCHAR",
    "model": "VARCHAR",
    "os": "VARCHAR",
    "outcome": "VARCHAR",
    "duration_us": "BIGINT",
    "attempts": "INTEGER",
}
SPECIFICATION = ", ".join(f"{name}: '{kind}'" for name, kind in FIELDS.items())


def source(path: str) -> str:
    """What to select from: typed columns, so that no types have to be guessed."""
    if path.endswith(".parquet"):
        return f"read_parquet('{path}')"
    return f"read_json('{path}/*.gz', format = 'newline_delimited', columns = {{{SPECIFICATION}}})"


# One window over each key tells duplicates and pauses at once: equal lines are neighbours.
QUERY = """
COPY (
  WITH neighbours AS (
    SELECT usage, coalesce(model, '') AS model, coalesce(os, '') AS os, time, outcome,
           duration_us, attempts, id, subject IS NULL OR session IS NULL AS alone,
           lag(id) OVER key AS before_id, lag(time) OVER key AS before_time
    FROM {source} WHERE type = 'evaluation'
    WINDOW key AS (PARTITION BY session, subject, usage ORDER BY time, id)
  ), rows AS (
    SELECT usage, model, os, time_bucket(INTERVAL 1 hour, time) AS start,
           count(*) AS evaluations,
           count(*) FILTER (alone OR before_time IS NULL
                            OR time - before_time > INTERVAL 30 minutes) AS impressions,
           count(*) FILTER (outcome = 'completed') AS completed,
           count(*) FILTER (outcome = 'skipped') AS skipped,
           count(*) FILTER (outcome = 'failed') AS failed,
           count(*) FILTER (outcome = 'cancelled') AS cancelled,
           count(*) FILTER (attempts > 1) AS retried,
           quantile_disc(duration_us, [0.5, 0.9, 0.95, 0.99])
             FILTER (attempts > 0 AND outcome <> 'cancelled') AS p
    FROM neighbours WHERE before_id IS DISTINCT FROM id GROUP BY ALL
  )
  SELECT usage, model, os, strftime(start, '%Y-%m-%dT%H:%M:%SZ') AS window, evaluations,
         impressions, completed, skipped, failed, cancelled, retried,
         p[1] AS p50, p[2] AS p90, p[3] AS p95, p[4] AS p99
  FROM rows ORDER BY usage, model, os, start
) TO '{target}' (FORMAT csv, HEADER)
"""


def main() -> None:
    path, target = sys.argv[1:3]
    connection = duckdb.connect(config={"threads": 2})
    connection.execute("SET preserve_insertion_order = false")
    if sys.argv[3:] == ["parquet"]:
        connection.execute(
            f"COPY (SELECT * FROM {source(path)}) TO '{target}' (FORMAT parquet, CODEC zstd)"
        )
    else:
        connection.execute(QUERY.format(source=source(path), target=target))


if __name__ == "__main__":
    main()
