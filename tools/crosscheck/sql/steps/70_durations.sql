-- Rule 5: the log-linear histogram of each window and group. Below 512 a bin is 1 µs wide, above
-- it is 2^(e-8) wide with e = floor(log2 v); bin() writes v in base 2, so e is its length less one.

CREATE MACRO bin_width(us) AS
    CASE WHEN us < 512 THEN 1 ELSE (1::BIGINT << (length(bin(us)) - 9)::INTEGER) END;

CREATE TABLE duration_bins AS
SELECT start_us, end_us, group_id, lower_us, width_us, count(*) AS evaluations
FROM (
    SELECT
        start_us, end_us, group_id,
        bin_width(duration_us) AS width_us,
        duration_us - duration_us % bin_width(duration_us) AS lower_us
    FROM evaluations
    WHERE duration_us IS NOT NULL
)
GROUP BY ALL;

CREATE TABLE duration_totals AS
SELECT
    start_us, group_id,
    count(*) AS n,
    sum(duration_us::HUGEINT) AS total_us,
    min(duration_us) AS min_us,
    max(duration_us) AS max_us
FROM evaluations
WHERE duration_us IS NOT NULL
GROUP BY ALL;

-- The value at rank (q·n + 99) div 100: the middle of its bin, within [min, max].
CREATE TABLE percentiles AS
WITH ranked AS (
    SELECT
        b.start_us, b.group_id, t.n, t.min_us, t.max_us,
        greatest(least(b.lower_us + b.width_us // 2, t.max_us), t.min_us) AS value_us,
        sum(b.evaluations) OVER (
            PARTITION BY b.start_us, b.group_id ORDER BY b.lower_us ROWS UNBOUNDED PRECEDING
        ) AS up_to
    FROM duration_bins AS b JOIN duration_totals AS t USING (start_us, group_id)
)
SELECT
    start_us, group_id,
    min(value_us) FILTER (up_to >= (50 * n + 99) // 100) AS p50_us,
    min(value_us) FILTER (up_to >= (90 * n + 99) // 100) AS p90_us,
    min(value_us) FILTER (up_to >= (95 * n + 99) // 100) AS p95_us,
    min(value_us) FILTER (up_to >= (99 * n + 99) // 100) AS p99_us
FROM ranked
GROUP BY start_us, group_id;
