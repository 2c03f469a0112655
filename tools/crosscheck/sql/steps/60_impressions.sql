-- Rule 4. First the gaps cut the evaluations of a key into stretches; then a stretch that lasts
-- 24 h or longer is cut again, 24 h after the first evaluation of each piece. `gaps` (usage, gap_us)
-- holds the settings; its row without usage is the default. A gap of 0 folds nothing.

CREATE TABLE stretched AS
WITH keyed AS (
    SELECT
        e.id, e.time_us, e.usage, e.subject, e.session,
        coalesce(g.gap_us, (SELECT gap_us FROM gaps WHERE usage IS NULL)) AS gap_us,
        lag(e.time_us) OVER in_key AS previous_us
    FROM evaluations AS e LEFT JOIN gaps AS g ON g.usage = e.usage
    WHERE e.subject IS NOT NULL AND e.session IS NOT NULL
    WINDOW in_key AS (PARTITION BY e.usage, e.subject, e.session ORDER BY e.time_us, e.id)
), cut AS (
    SELECT *, previous_us IS NULL OR gap_us = 0 OR time_us - previous_us > gap_us AS starts
    FROM keyed
)
SELECT
    id, time_us, previous_us,
    last_value(CASE WHEN starts THEN id END IGNORE NULLS) OVER so_far AS stretch,
    last_value(CASE WHEN starts THEN time_us END IGNORE NULLS) OVER so_far AS stretch_us
FROM cut
WINDOW so_far AS (
    PARTITION BY usage, subject, session ORDER BY time_us, id ROWS UNBOUNDED PRECEDING
);

CREATE TABLE long_stretches AS
SELECT *
FROM stretched
SEMI JOIN (
    SELECT DISTINCT stretch FROM stretched WHERE time_us - stretch_us >= 86400000000
) USING (stretch);

-- Each piece starts at the first evaluation that is 24 h or more after the previous piece's first.
CREATE TABLE pieces AS
WITH RECURSIVE piece(stretch, first_us) AS (
    SELECT DISTINCT stretch, stretch_us FROM long_stretches
    UNION ALL
    SELECT piece.stretch, min(later.time_us)
    FROM piece JOIN long_stretches AS later
        ON later.stretch = piece.stretch AND later.time_us >= piece.first_us + 86400000000
    GROUP BY piece.stretch, piece.first_us
)
SELECT * FROM piece;

-- Which impression an evaluation belongs to, named by the impression's first evaluation.
CREATE TABLE folded AS
SELECT id, stretch AS impression
FROM stretched ANTI JOIN long_stretches USING (id)
UNION ALL
SELECT l.id, first_value(l.id) OVER (
    PARTITION BY l.stretch, p.first_us ORDER BY l.time_us, l.id ROWS UNBOUNDED PRECEDING
)
FROM long_stretches AS l
ASOF JOIN pieces AS p ON p.stretch = l.stretch AND l.time_us >= p.first_us
UNION ALL
SELECT id, id FROM evaluations WHERE subject IS NULL OR session IS NULL;

CREATE TABLE impressions AS
SELECT
    max(e.start_us) FILTER (e.id = f.impression) AS start_us,
    max(e.end_us) FILTER (e.id = f.impression) AS end_us,
    max(e.group_id) FILTER (e.id = f.impression) AS group_id,
    count(*) AS evaluations,
    coalesce(
        arg_max(e.outcome, (e.time_us, e.id)) FILTER (e.outcome <> 'cancelled'),
        'cancelled'
    ) AS outcome,
    -- Only this usage can suppress; all evaluations of an impression have one usage.
    CASE
        WHEN any_value(e.usage) = 'in_app_message_suppression'
        THEN bool_and(s.id IS NOT NULL)
    END AS suppressed
FROM folded AS f
JOIN evaluations AS e ON e.id = f.id
LEFT JOIN suppressed_ids AS s ON s.id = e.id
GROUP BY f.impression;
