-- Every line of the segments and what it decodes to. Views only: the text is read again where it
-- is needed and never stored. A line that is not JSON arrives as NULL; blank lines do not arrive.

CREATE VIEW lines AS
SELECT json::VARCHAR AS line
FROM read_ndjson_objects(
    getvariable('segments'),
    compression = 'gzip',
    ignore_errors = true,
    maximum_object_size = 17825792
);

CREATE VIEW fields AS
SELECT
    line,
    json_transform(line, '{
        "type": "VARCHAR", "id": "VARCHAR", "time": "VARCHAR",
        "usage": "VARCHAR", "subject": "VARCHAR", "session": "VARCHAR",
        "model": "VARCHAR", "os": "VARCHAR", "device": "VARCHAR", "app": "VARCHAR",
        "outcome": "VARCHAR", "reason": "VARCHAR", "detail": "VARCHAR", "error": "VARCHAR",
        "duration_us": "JSON", "duration_invalid": "BOOLEAN", "attempts": "JSON",
        "decoded": "BOOLEAN", "assumed": "VARCHAR[]",
        "evaluation": "VARCHAR", "status": "VARCHAR", "report": "JSON", "refused": "JSON"
    }') AS f
FROM lines;

CREATE MACRO known(type) AS
    type IN ('evaluation', 'ai_suppressed', 'form_inference', 'catalog', 'gate', 'log_gap');

-- An absent member is NULL here; "1.5", "-1" and "1e308" are no whole number.
CREATE MACRO whole(number) AS
    CASE WHEN regexp_full_match(number::VARCHAR, '[0-9]+') THEN try_cast(number AS BIGINT) END;

CREATE VIEW decoded AS
SELECT
    line,
    f.type AS type,
    try_cast(f.id AS UUID) AS id,
    epoch_us(try_cast(f.time AS TIMESTAMP)) AS time_us,
    coalesce(list_contains(f.assumed, 'time'), false) AS time_assumed,
    f.usage AS usage,
    f.subject AS subject,
    f.session AS session,
    f.model AS model,
    f.os AS os,
    f.device AS device,
    f.app AS app,
    f.outcome AS outcome,
    coalesce(f.reason, f.error) AS reason,
    f.detail AS detail,
    whole(f.duration_us) AS duration_us,
    coalesce(f.duration_invalid, false) AS duration_invalid,
    coalesce(whole(f.attempts), 0) AS attempts,
    coalesce(f.decoded, true) AS decoded,
    try_cast(f.evaluation AS UUID) AS evaluation,
    f.status AS status,
    f.report AS report,
    coalesce(whole(f.refused), 0) AS refused,
    CASE
        WHEN f.type IS NULL THEN 'unreadable'
        WHEN NOT known(f.type) THEN 'unknown'
        WHEN try_cast(f.id AS UUID) IS NULL THEN 'unreadable'
        WHEN try_cast(f.time AS TIMESTAMP) IS NULL THEN 'unreadable'
        WHEN f.type <> 'evaluation' THEN 'fact'
        WHEN f.usage IS NULL THEN 'unreadable'
        WHEN f.outcome IN ('completed', 'skipped', 'failed', 'cancelled') THEN 'fact'
        ELSE 'unreadable'
    END AS reading
FROM fields;
