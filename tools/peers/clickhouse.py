"""ClickHouse in the process (chDB): clickhouse.py FOLDER OUT.csv."""

from __future__ import annotations

import sys
from pathlib import Path

import chdb

STRUCTURE = ", ".join(
    [
        "type LowCardinality(String)",
        "id UUID",
        "time DateTime64(6, \\'UTC\\')",
        "usage LowCardinality(String)",
        "subject Nullable(String)",
        "session Nullable(String)",
        "model LowCardinality(String)",
        "os LowCardinality(String)",
        "outcome LowCardinality(String)",
        "duration_us Nullable(UInt64)",
        "attempts UInt32",
    ]
)
QUERY = """
SELECT usage, model, os, formatDateTime(start, '%Y-%m-%dT%H:%i:%SZ') AS window, evaluations,
       impressions, completed, skipped, failed, cancelled, retried,
       if(n = 0, '', toString(ran[intDiv(n * 50 + 99, 100)])) AS p50,
       if(n = 0, '', toString(ran[intDiv(n * 90 + 99, 100)])) AS p90,
       if(n = 0, '', toString(ran[intDiv(n * 95 + 99, 100)])) AS p95,
       if(n = 0, '', toString(ran[intDiv(n * 99 + 99, 100)])) AS p99
FROM (
  SELECT usage, model, os, toStartOfHour(time) AS start, count() AS evaluations,
         countIf(alone OR place = 1 OR time > before_time + INTERVAL 30 MINUTE) AS impressions,
         countIf(outcome = 'completed') AS completed, countIf(outcome = 'skipped') AS skipped,
         countIf(outcome = 'failed') AS failed, countIf(outcome = 'cancelled') AS cancelled,
         countIf(attempts > 1) AS retried,
         arraySort(groupArrayIf(assumeNotNull(duration_us), isNotNull(duration_us)
                                AND attempts > 0 AND outcome != 'cancelled')) AS ran,
         length(ran) AS n
  FROM (
    SELECT usage, model, os, time, outcome, duration_us, attempts, id,
           isNull(subject) OR isNull(session) AS alone, row_number() OVER key AS place,
           lagInFrame(time) OVER key AS before_time, lagInFrame(id) OVER key AS before_id
    FROM file('{source}/*.gz', 'JSONEachRow', '{structure}') WHERE type = 'evaluation'
    WINDOW key AS (PARTITION BY session, subject, usage ORDER BY time, id
                   ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
  )
  WHERE place = 1 OR id != before_id
  GROUP BY usage, model, os, start
)
ORDER BY usage, model, os, start
SETTINGS max_threads = 2, date_time_input_format = 'best_effort',
         input_format_skip_unknown_fields = 1
"""


def main() -> None:
    source, target = sys.argv[1:3]
    query = QUERY.format(source=source, structure=STRUCTURE)
    result = chdb.query(query, "CSVWithNames")
    Path(target).write_bytes(result.bytes())


if __name__ == "__main__":
    main()
