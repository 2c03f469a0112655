-- evaluations.csv (rule 3): counts, the failure rate with its Wilson interval, durations.

WITH counted AS (
    SELECT
        start_us, end_us, group_id,
        count(*) AS evaluations,
        count(*) FILTER (outcome = 'completed') AS completed,
        count(*) FILTER (outcome = 'skipped') AS skipped,
        count(*) FILTER (outcome = 'failed') AS failed,
        count(*) FILTER (outcome = 'cancelled') AS cancelled,
        count(*) FILTER (attempts > 1) AS retried,
        sum(attempts::HUGEINT) AS attempts
    FROM evaluations
    GROUP BY ALL
), asked AS (
    SELECT *, nullif(completed + failed, 0)::HUGEINT AS tried FROM counted
), doubles AS (
    SELECT
        *,
        tried::DOUBLE AS n,
        failed::DOUBLE / tried::DOUBLE AS p,
        1.959963984540054::DOUBLE AS z
    FROM asked
), wilson AS (
    SELECT
        *,
        p + z * z / (2.0::DOUBLE * n) AS centre,
        z * sqrt((p * (1.0::DOUBLE - p) + z * z / (4.0::DOUBLE * n)) / n) AS margin,
        1.0::DOUBLE + z * z / n AS divisor
    FROM doubles
), bounded AS (
    SELECT
        *,
        CASE WHEN failed = 0 AND tried > 0 THEN 0.0 ELSE (centre - margin) / divisor END AS low,
        CASE WHEN failed = tried THEN 1.0 ELSE (centre + margin) / divisor END AS high
    FROM wilson
)
SELECT concat_ws(',',
    window_cells(start_us, end_us),
    g.cells,
    evaluations, completed, skipped, failed, cancelled,
    rate_cell((2000000 * failed + tried) // (2 * tried)),
    rate_cell(floor(low * 1000000.0::DOUBLE + 0.5::DOUBLE)),
    rate_cell(floor(high * 1000000.0::DOUBLE + 0.5::DOUBLE)),
    retried, attempts,
    coalesce(t.n, 0),
    number_cell(t.total_us),
    ms_cell(t.min_us),
    ms_cell((2 * t.total_us + t.n) // (2 * t.n)),
    ms_cell(p50_us), ms_cell(p90_us), ms_cell(p95_us), ms_cell(p99_us),
    ms_cell(t.max_us)
)
FROM bounded
JOIN shown_groups AS g USING (group_id)
LEFT JOIN duration_totals AS t USING (start_us, group_id)
LEFT JOIN percentiles USING (start_us, group_id)
ORDER BY start_us, group_id;
