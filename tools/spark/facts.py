"""Segments to facts: lines decoded, the staying one of each id, and what was odd about the rest.

Section numbers and words are those of docs/metrics.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession

KNOWN_TYPES = (
    "evaluation",
    "ai_suppressed",
    "form_inference",
    "catalog",
    "gate",
    "log_gap",
    "test_result",
)
REASONS = ("ai_disabled", "no_model", "no_context", "model_unavailable", "other")
DETAILS = ("device_not_eligible", "missing_model", "not_enabled", "other")
ERRORS = (
    *("timeout", "schema_mismatch", "context_overflow", "truncated", "refused", "bad_response"),
    *("transport", "rate_limited", "quota", "auth", "client_error", "server_error"),
    *("unsupported_language", "unavailable", "model_error", "other"),
)

SCHEMA = """
    type STRING, id STRING, time STRING, usage STRING, subject STRING, session STRING,
    model STRING, os STRING, device STRING, app STRING, outcome STRING, reason STRING,
    detail STRING, error STRING, duration_us BIGINT, duration_invalid BOOLEAN, attempts BIGINT,
    decoded BOOLEAN, assumed ARRAY<STRING>, evaluation STRING, status STRING,
    report MAP<STRING, STRING>, refused BIGINT, erased BOOLEAN
"""
STRICT = "map('allowSingleQuotes', 'false', 'allowNonNumericNumbers', 'false')"
UUID = "'^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'"


def closed(column: str, members: tuple[str, ...]) -> str:
    """A value of a closed list; one that is not in it reads as other."""
    listed = ", ".join(f"'{member}'" for member in members)
    return f"CASE WHEN {column} IS NULL OR {column} IN ({listed}) THEN {column} ELSE 'other' END"


SYSTEMS = "iOS|iPadOS|macOS|watchOS|tvOS|visionOS|Android|Linux|Windows"
# In Java's regular expressions $ also stands before a last newline; \\z does not.
SHAPES = {
    "usage": r"^[a-z][a-z0-9_]{0,63}\\z",
    "model": r"^(?!.*://)[A-Za-z0-9._:/@-]{1,64}\\z",
    "os": rf"^(?=.{{1,32}}\\z)({SYSTEMS})( [0-9]+([.][0-9]+){{0,3}})?\\z",
    "device": r"^(?=.*[0-9])[A-Za-z][A-Za-z0-9,._-]{0,31}\\z",
    "app": r"^[A-Za-z0-9.-]{1,32}\\z",
}
KEYS = {
    "subject": r"^[^\\x00-\\x20\\x7F-\\x9F@]{1,128}\\z",
    "session": r"^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|~[0-9a-f]{32})\\z",
}
SUBJECT_BYTES_MAX = 128
ATTEMPTS_MAX = 1_000_000
DURATION_US_MAX = 86_400_000_000


def fits(name: str) -> str:
    """Whether a text that is there has its shape; that of a subject bounds its bytes as well."""
    shape = (SHAPES | KEYS)[name]
    bound = f" AND octet_length(f.subject) <= {SUBJECT_BYTES_MAX}" if name == "subject" else ""
    return f"f.{name} RLIKE '{shape}'{bound}"


def read_as(name: str, otherwise: str) -> str:
    return f"CASE WHEN f.{name} IS NULL OR ({fits(name)}) THEN f.{name} ELSE {otherwise} END"


def misfits(names: Iterable[str]) -> str:
    return " + ".join(f"CAST(f.{name} IS NOT NULL AND NOT ({fits(name)}) AS INT)" for name in names)


# Of a shape that it has not, a value reads as other, and a key as absent.
READ = {name: read_as(name, "'other'") for name in SHAPES} | {
    name: read_as(name, "NULL") for name in KEYS
}
# The same in either case.
READ["session"] = f"lower({READ['session']})"
MISFITS = f"""
CASE WHEN f.type = 'evaluation' THEN {misfits([*SHAPES, *KEYS])}
    WHEN f.type IN ('ai_suppressed', 'form_inference') THEN {misfits(KEYS)}
    WHEN f.type = 'catalog' THEN {misfits(["subject"])}
    ELSE 0 END
"""

DECODED = f"""
SELECT
    line,
    f.type AS type,
    lower(f.id) AS id,
    unix_micros(try_to_timestamp(f.time)) AS time_us,
    coalesce(array_contains(f.assumed, 'time'), false) AS time_assumed,
    {", ".join(f"{read} AS {name}" for name, read in READ.items())},
    f.outcome,
    CASE f.outcome WHEN 'skipped' THEN {closed("f.reason", REASONS)}
        WHEN 'failed' THEN {closed("f.error", ERRORS)} END AS reason,
    CASE f.outcome WHEN 'skipped' THEN {closed("f.detail", DETAILS)} END AS detail,
    f.duration_us,
    coalesce(f.duration_invalid, false) AS duration_invalid,
    f.attempts,
    coalesce(f.decoded, true) AS decoded,
    lower(f.evaluation) AS evaluation, f.status, f.report,
    coalesce(f.refused, 0) AS refused,
    {MISFITS} AS misfits,
    CASE
        WHEN f.erased THEN 'erased'
        WHEN f.type IS NULL THEN 'unreadable'
        WHEN f.type NOT IN {KNOWN_TYPES} THEN 'unknown'
        WHEN NOT coalesce(f.id RLIKE {UUID}, false) THEN 'unreadable'
        WHEN try_to_timestamp(f.time) IS NULL THEN 'unreadable'
        WHEN f.type = 'evaluation' THEN CASE
            WHEN f.usage IS NULL THEN 'unreadable'
            WHEN NOT coalesce(f.attempts BETWEEN 0 AND {ATTEMPTS_MAX}, false) THEN 'unreadable'
            WHEN NOT coalesce(f.duration_us BETWEEN 0 AND {DURATION_US_MAX}, true)
            THEN 'unreadable'
            WHEN f.outcome IN ('completed', 'skipped', 'failed', 'cancelled') THEN 'fact'
            ELSE 'unreadable'
        END
        WHEN f.type IN ('ai_suppressed', 'form_inference')
            AND NOT coalesce(f.evaluation RLIKE {UUID}, false) THEN 'unreadable'
        WHEN f.type = 'form_inference' AND coalesce(f.status, '') NOT IN ('success', 'failure')
        THEN 'unreadable'
        ELSE 'fact'
    END AS reading
FROM (SELECT line, from_json(line, '{" ".join(SCHEMA.split())}', {STRICT}) AS f FROM lines)
"""

# Of the lines of one (type, id) the one with the least (time, bytes) stays. Text compares as bytes.
# An assumed time is that of an import, so it makes no conflict.
PLACED = r"""
SELECT
    *,
    row_number() OVER least_first AS place,
    CASE WHEN count(*) OVER same > 1 THEN comparable <> first_value(comparable) OVER least_first
        ELSE false END AS conflicts
FROM (
    SELECT *, CASE WHEN time_assumed THEN regexp_replace(line, '"time":"[^"]*"', '') ELSE line END
        AS comparable
    FROM decoded WHERE reading = 'fact'
)
WINDOW same AS (PARTITION BY type, id),
    least_first AS (PARTITION BY type, id ORDER BY time_us, line)
"""

QUALITY = """
SELECT stack(14,
    'assumed_times', r.assumed_times, 'conflicts', p.conflicts, 'duplicates', p.duplicates,
    'erased_lines', l.erased, 'evaluations', r.evaluations,
    'invalid_durations', r.invalid_durations, 'lines', l.lines, 'misfit_values', l.misfits,
    'records', r.records, 'refused', r.refused, 'undecoded', r.undecoded, 'unkeyed', r.unkeyed,
    'unknown_type_lines', l.unknown, 'unreadable_lines', l.unreadable
) AS (name, value)
FROM (
    SELECT count(*) AS lines, count_if(reading = 'erased') AS erased,
        count_if(reading = 'unknown') AS unknown, count_if(reading = 'unreadable') AS unreadable,
        coalesce(sum(misfits) FILTER (WHERE reading = 'fact'), 0) AS misfits
    FROM decoded
) AS l, (
    SELECT count_if(conflicts) AS conflicts, count_if(place > 1) AS duplicates FROM placed
) AS p, (
    SELECT count(*) AS records, count_if(type = 'evaluation') AS evaluations,
        count_if(type = 'evaluation' AND (subject IS NULL OR session IS NULL)) AS unkeyed,
        count_if(type = 'evaluation' AND duration_invalid) AS invalid_durations,
        count_if(type = 'evaluation' AND NOT decoded) AS undecoded,
        count_if(time_assumed) AS assumed_times,
        coalesce(sum(refused) FILTER (WHERE type = 'log_gap'), 0) AS refused
    FROM staying
) AS r
"""


def read(spark: SparkSession, log: str) -> DataFrame:
    """Makes the view `staying`, a row for each distinct fact, and returns the quality table.

    Segments are whole gzip files, so one task reads each. Blank lines, which no writer makes, do
    not count.
    """
    lines = spark.read.text(f"{log.rstrip('/')}/facts/*.gz", lineSep="\n")
    lines.withColumnRenamed("value", "line").where("trim(line) <> ''").createTempView("lines")
    spark.sql(DECODED).createTempView("decoded")
    spark.sql(PLACED).createTempView("placed")
    staying = spark.sql(
        "SELECT * EXCEPT (line, comparable, place, conflicts) FROM placed WHERE place = 1"
    )
    staying.persist().createTempView("staying")
    return spark.sql(QUALITY)
