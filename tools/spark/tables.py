"""Facts to tables: windows, groups, impressions, durations, as docs/metrics.md defines them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

DAY_US = 86_400_000_000
SUPPRESSION = "in_app_message_suppression"


@dataclass(frozen=True)
class Rules:
    """What a user can choose; the defaults are those of `evalog export`."""

    window: str = "1h"
    window_us: int | None = 3_600_000_000
    """The width of a fixed window; None for day, week and month in the session's time zone."""
    by: tuple[str, ...] = ("usage", "model", "os")
    gaps_us: dict[str | None, int] = field(
        default_factory=lambda: {None: 1_800_000_000, SUPPRESSION: 0}
    )
    """By usage; the key None holds that of all others."""
    max_groups: int = 2_000

    def start(self, time_us: str) -> str:
        if self.window_us:
            return f"{time_us} - pmod({time_us}, {self.window_us})"
        return f"unix_micros(date_trunc('{self.window}', timestamp_micros({time_us})))"

    def end(self, start_us: str) -> str:
        if self.window_us:
            return f"{start_us} + {self.window_us}"
        # The next date's beginning, or that of the next date that exists.
        date = f"CAST(timestamp_micros({start_us}) AS DATE)"
        following = {
            "day": f"date_add({date}, 1)",
            "week": f"date_add({date}, 7)",
            "month": f"add_months({date}, 1)",
        }[self.window]
        return f"unix_micros(CAST({following} AS TIMESTAMP))"

    @property
    def gap(self) -> str:
        others = self.gaps_us[None]
        named = [f"WHEN '{usage}' THEN {gap}" for usage, gap in self.gaps_us.items() if usage]
        return f"CASE usage {' '.join(named)} ELSE {others} END" if named else str(others)


# MARK: Cells


def text(column: str) -> str:
    """A text cell: no spreadsheet takes it for a formula. Quotes are the CSV writer's business."""
    first = "'^[=+\\\\-@\\t\\r\\']'"
    guard = f"if({column} RLIKE {first}, concat('\\'', {column}), {column})"
    return f"coalesce({guard}, '')"


def scaled(value: str, digits: int) -> str:
    one = 10**digits
    return f"coalesce(concat({value} DIV {one}, '.', lpad({value} % {one}, {digits}, '0')), '')"


def window_cells() -> str:
    pattern = "yyyy-MM-dd\\'T\\'HH:mm:ss\\'Z\\'"
    utc = "to_utc_timestamp(timestamp_micros({}), current_timezone())"
    return ", ".join(
        f"date_format({utc.format(edge)}, '{pattern}') AS {name}"
        for edge, name in (("start_us", "window_start"), ("end_us", "window_end"))
    )


# MARK: Views


def make_groups(spark: SparkSession, rules: Rules) -> None:
    """The groups with most evaluations keep their names, ties by bytes; all others are (other)."""
    names = ", ".join(f"coalesce({column}, '') AS {column}" for column in rules.by)
    shown = ", ".join(
        f"CASE WHEN place <= {rules.max_groups} THEN {column} ELSE '(other)' END AS shown_{column}"
        for column in rules.by
    )
    by = ", ".join(rules.by)
    spark.sql(f"""
        SELECT *, {shown} FROM (
            SELECT *, row_number() OVER (ORDER BY evaluations DESC, {by}) AS place FROM (
                SELECT {by}, count(*) AS evaluations
                FROM (SELECT {names} FROM staying WHERE type = 'evaluation') GROUP BY {by}
            )
        )
    """).persist().createTempView("shown_groups")
    spark.sql(f"""
        SELECT subject, if(place <= {rules.max_groups}, subject, '(other)') AS shown
        FROM (
            SELECT subject, row_number() OVER (ORDER BY count(*) DESC, subject) AS place
            FROM (
                SELECT coalesce(subject, '') AS subject FROM staying WHERE type = 'form_inference'
            )
            GROUP BY subject
        )
    """).createTempView("shown_subjects")


def make_evaluations(spark: SparkSession, rules: Rules) -> None:
    groups = ", ".join(f"g.shown_{column} AS group_{column}" for column in rules.by)
    match = " AND ".join(f"coalesce(e.{column}, '') = g.{column}" for column in rules.by)
    spark.sql(f"""
        SELECT *, {rules.end("start_us")} AS end_us FROM (
            SELECT e.id, e.time_us, e.usage, e.subject, e.session, e.outcome, e.reason, e.detail,
                e.attempts, {groups}, {rules.start("e.time_us")} AS start_us,
                CASE WHEN e.attempts >= 1 AND e.outcome <> 'cancelled' AND NOT e.duration_invalid
                    AND e.duration_us >= 0 THEN e.duration_us END AS duration_us
            FROM staying AS e JOIN shown_groups AS g ON {match} WHERE e.type = 'evaluation'
        )
    """).persist().createTempView("evaluations")
    spark.sql(f"""
        SELECT *, {rules.end("start_us")} AS end_us FROM (
            SELECT {rules.start("i.time_us")} AS start_us, s.shown AS subject, i.status, i.report
            FROM staying AS i JOIN shown_subjects AS s ON coalesce(i.subject, '') = s.subject
            WHERE i.type = 'form_inference'
        )
    """).createTempView("inferences")


def make_impressions(spark: SparkSession, rules: Rules) -> None:
    """Gaps cut the evaluations of a key into stretches; those of 24 h or more are cut again."""
    spark.sql(f"""
        SELECT id, time_us, last_value(CASE WHEN starts THEN id END, true) OVER so_far AS stretch,
            last_value(CASE WHEN starts THEN time_us END, true) OVER so_far AS first_us
        FROM (
            SELECT *, previous_us IS NULL OR gap_us = 0 OR time_us - previous_us > gap_us AS starts
            FROM (
                SELECT *, {rules.gap} AS gap_us, lag(time_us) OVER in_key AS previous_us
                FROM evaluations WHERE subject IS NOT NULL AND session IS NOT NULL
                WINDOW in_key AS (PARTITION BY usage, subject, session ORDER BY time_us, id)
            )
        )
        WINDOW so_far AS (PARTITION BY usage, subject, session ORDER BY time_us, id
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    """).persist().createTempView("stretched")
    folded = [
        "SELECT id, id AS impression FROM evaluations WHERE subject IS NULL OR session IS NULL",
        *cut_after_a_day(spark),
    ]
    spark.sql(" UNION ALL ".join(folded)).createTempView("folded")
    spark.sql(f"""
        SELECT f.impression, max_by(struct(e.*), e.id = f.impression) AS first,
            count(*) AS evaluations,
            coalesce(
                max_by(e.outcome, struct(e.time_us, e.id)) FILTER (WHERE e.outcome <> 'cancelled'),
                'cancelled'
            ) AS outcome,
            CASE WHEN any_value(e.usage) = '{SUPPRESSION}' THEN bool_and(s.id IS NOT NULL) END
                AS suppressed
        FROM folded AS f JOIN evaluations AS e ON e.id = f.id
        LEFT JOIN (SELECT DISTINCT evaluation AS id FROM staying WHERE type = 'ai_suppressed') AS s
            ON s.id = e.id
        GROUP BY f.impression
    """).createTempView("impressions")


def cut_after_a_day(spark: SparkSession) -> Iterator[str]:
    """Which impression an evaluation belongs to, named by the first.

    One round for each day that the longest chain without a gap lasts.
    """
    rest = "stretched"
    number = 0
    while True:
        yield f"SELECT id, stretch AS impression FROM {rest} WHERE time_us - first_us < {DAY_US}"
        later = spark.sql(f"""
            SELECT id, time_us, first_value(id) OVER next AS stretch,
                first_value(time_us) OVER next AS first_us
            FROM {rest} WHERE time_us - first_us >= {DAY_US}
            WINDOW next AS (PARTITION BY stretch ORDER BY time_us, id)
        """).persist()
        if later.isEmpty():
            return
        number += 1
        rest = f"stretched_{number}"
        later.createTempView(rest)


def make_durations(spark: SparkSession, by: str) -> None:
    """Bins: one wide below 512 µs, above it 2^(e-8) with e = floor(log2 v)."""
    width = "if(duration_us < 512, 1, shiftleft(1L, length(bin(duration_us)) - 9))"
    spark.sql(f"""
        SELECT start_us, end_us, {by}, duration_us - duration_us % width_us AS lower_us, width_us,
            count(*) AS evaluations
        FROM (SELECT *, {width} AS width_us FROM evaluations WHERE duration_us IS NOT NULL)
        GROUP BY ALL
    """).persist().createTempView("duration_bins")
    spark.sql(f"""
        SELECT start_us, {by}, count(*) AS n, sum(CAST(duration_us AS DECIMAL(30))) AS total_us,
            min(duration_us) AS min_us, max(duration_us) AS max_us
        FROM evaluations WHERE duration_us IS NOT NULL GROUP BY ALL
    """).persist().createTempView("duration_totals")
    shares = ", ".join(
        f"min(value_us) FILTER (WHERE up_to >= ({q} * n + 99) DIV 100) AS p{q}_us"
        for q in (50, 90, 95, 99)
    )
    spark.sql(f"""
        SELECT start_us, {by}, {shares} FROM (
            SELECT *, greatest(least(lower_us + width_us DIV 2, max_us), min_us) AS value_us,
                sum(evaluations) OVER (PARTITION BY start_us, {by} ORDER BY lower_us
                    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS up_to
            FROM duration_bins JOIN duration_totals USING (start_us, {by})
        ) GROUP BY ALL
    """).createTempView("percentiles")


# MARK: Tables

OUTCOMES = ", ".join(
    f"count_if(outcome = '{outcome}') AS {outcome}"
    for outcome in ("completed", "skipped", "failed", "cancelled")
)


def tables(
    spark: SparkSession, rules: Rules, quality: DataFrame
) -> Iterator[tuple[str, DataFrame]]:
    """Each table with its cells as text, in the order of rows that the CSV has."""
    make_groups(spark, rules)
    make_evaluations(spark, rules)
    make_impressions(spark, rules)
    by = ", ".join(f"group_{column}" for column in rules.by)
    make_durations(spark, by)
    names = ", ".join(f"{text(f'group_{column}')} AS {column}" for column in rules.by)
    yield "evaluations", spark.sql(evaluations_query(by, names))
    yield "impressions", spark.sql(impressions_query(rules, by, names))
    yield (
        "outcomes",
        spark.sql(f"""
        SELECT {window_cells()}, {names}, outcome, coalesce(reason, '') AS reason,
            coalesce(detail, '') AS detail, count(*) AS evaluations
        FROM evaluations
        GROUP BY start_us, end_us, {by}, outcome, evaluations.reason, evaluations.detail
        ORDER BY start_us, {by}, outcome, coalesce(evaluations.reason, ''),
            coalesce(evaluations.detail, '')
    """),
    )
    yield (
        "inferences",
        spark.sql(f"""
        SELECT {window_cells()}, {text("subject")} AS subject, status, count(*) AS inferences
        FROM inferences GROUP BY start_us, end_us, inferences.subject, status
        ORDER BY start_us, inferences.subject, status
    """),
    )
    yield (
        "inference_values",
        spark.sql(f"""
        SELECT {window_cells()}, {text("name")} AS subject, {text("key")} AS field,
            {text("reported")} AS value, count(*) AS inferences
        FROM (
            SELECT start_us, end_us, subject AS name, explode(report) AS (key, reported)
            FROM inferences
        )
        GROUP BY start_us, end_us, name, key, reported ORDER BY start_us, name, key, reported
    """),
    )
    yield (
        "durations",
        spark.sql(f"""
        SELECT {window_cells()}, {names}, lower_us, lower_us + width_us AS upper_us, evaluations
        FROM duration_bins ORDER BY start_us, {by}, lower_us
    """),
    )
    yield "quality", quality.orderBy("name")


def evaluations_query(by: str, names: str) -> str:
    return f"""
        SELECT {window_cells()}, {names}, evaluations, completed, skipped, failed, cancelled,
            {scaled("((2000000 * failed + tried) DIV (2 * tried))", 6)} AS failure_rate,
            {scaled("CAST(floor(low * 1000000D + 0.5D) AS BIGINT)", 6)} AS failure_rate_low,
            {scaled("CAST(floor(high * 1000000D + 0.5D) AS BIGINT)", 6)} AS failure_rate_high,
            retried, attempts, coalesce(n, 0) AS duration_count,
            coalesce(total_us, '') AS duration_sum_us,
            {scaled("min_us", 3)} AS duration_min_ms,
            {scaled("((2 * total_us + n) DIV (2 * n))", 3)} AS duration_mean_ms,
            {", ".join(f"{scaled(f'p{q}_us', 3)} AS duration_p{q}_ms" for q in (50, 90, 95, 99))},
            {scaled("max_us", 3)} AS duration_max_ms
        FROM (
            SELECT *, if(failed = 0 AND tried > 0, 0D, (centre - margin) / divisor) AS low,
                if(failed = tried, 1D, (centre + margin) / divisor) AS high
            FROM (
                SELECT *, p + z * z / (2D * t) AS centre,
                    z * sqrt((p * (1D - p) + z * z / (4D * t)) / t) AS margin,
                    1D + z * z / t AS divisor
                FROM (
                    SELECT *, CAST(tried AS DOUBLE) AS t, 1.959963984540054D AS z,
                        CAST(failed AS DOUBLE) / CAST(tried AS DOUBLE) AS p
                    FROM (
                        SELECT *, nullif(completed + failed, 0) AS tried
                        FROM (
                            SELECT start_us, end_us, {by}, count(*) AS evaluations, {OUTCOMES},
                                count_if(attempts > 1) AS retried,
                                sum(CAST(attempts AS DECIMAL(30))) AS attempts
                            FROM evaluations GROUP BY start_us, end_us, {by}
                        )
                    )
                )
            )
        )
        LEFT JOIN duration_totals USING (start_us, {by})
        LEFT JOIN percentiles USING (start_us, {by})
        ORDER BY start_us, {by}
    """


def impressions_query(rules: Rules, by: str, names: str) -> str:
    of_first = ", ".join(f"first.group_{column} AS group_{column}" for column in rules.by)
    suppressed = "CASE WHEN count(suppressed) = 0 THEN '' ELSE CAST(count_if({}) AS STRING) END"
    return f"""
        SELECT {window_cells()}, {names}, count(*) AS impressions,
            sum(evaluations - 1) AS re_evaluations, {OUTCOMES},
            {suppressed.format("suppressed")} AS suppressed,
            {suppressed.format("NOT suppressed")} AS not_suppressed
        FROM (
            SELECT first.start_us AS start_us, first.end_us AS end_us, {of_first}, evaluations,
                outcome, suppressed
            FROM impressions
        )
        GROUP BY start_us, end_us, {by} ORDER BY start_us, {by}
    """
