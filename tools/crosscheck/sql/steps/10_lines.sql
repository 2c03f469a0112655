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
        "evaluation": "VARCHAR", "status": "VARCHAR", "report": "JSON", "refused": "JSON",
        "erased": "JSON"
    }') AS f
FROM lines;

CREATE MACRO known(type) AS
    type IN ('evaluation', 'ai_suppressed', 'form_inference', 'catalog', 'gate', 'log_gap', 'test_result');

-- An absent member is NULL here; "1.5", "-1" and "1e308" are no whole number.
CREATE MACRO whole(number) AS
    CASE WHEN regexp_full_match(number::VARCHAR, '[0-9]+') THEN try_cast(number AS BIGINT) END;

CREATE MACRO uuid_of(value) AS
    CASE
        WHEN regexp_full_match(value, '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}')
        THEN value::UUID
    END;

-- What is not in a closed list, or has not the shape, reads as `other`. The writer sees to that
-- too, so only a log of a later version or of another hand has such values.
CREATE MACRO closed(value, members) AS
    CASE WHEN value IS NULL OR list_contains(members, value) THEN value ELSE 'other' END;

CREATE MACRO reason_of(value) AS closed(
    value, ['ai_disabled', 'no_model', 'no_context', 'model_unavailable', 'other']
);

CREATE MACRO detail_of(value) AS closed(
    value, ['device_not_eligible', 'missing_model', 'not_enabled', 'other']
);

CREATE MACRO error_of(value) AS closed(value, [
    'timeout', 'schema_mismatch', 'context_overflow', 'truncated', 'refused', 'bad_response',
    'transport', 'rate_limited', 'quota', 'auth', 'client_error', 'server_error',
    'unsupported_language', 'unavailable', 'model_error', 'other'
]);

CREATE MACRO usage_of(value) AS
    CASE
        WHEN value IS NULL OR regexp_full_match(value, '[a-z][a-z0-9_]{0,63}') THEN value
        ELSE 'other'
    END;

CREATE MACRO model_of(value) AS
    CASE
        WHEN value IS NULL THEN NULL
        WHEN regexp_full_match(value, '[A-Za-z0-9._:/@-]{1,64}') AND NOT contains(value, '://')
        THEN value
        ELSE 'other'
    END;

CREATE VIEW decoded AS
SELECT
    line,
    f.type AS type,
    uuid_of(f.id) AS id,
    epoch_us(try_cast(f.time AS TIMESTAMP)) AS time_us,
    coalesce(list_contains(f.assumed, 'time'), false) AS time_assumed,
    usage_of(f.usage) AS usage,
    f.subject AS subject,
    f.session AS session,
    model_of(f.model) AS model,
    f.os AS os,
    f.device AS device,
    f.app AS app,
    f.outcome AS outcome,
    CASE f.outcome WHEN 'skipped' THEN reason_of(f.reason) WHEN 'failed' THEN error_of(f.error) END
        AS reason,
    CASE f.outcome WHEN 'skipped' THEN detail_of(f.detail) END AS detail,
    whole(f.duration_us) AS duration_us,
    coalesce(f.duration_invalid, false) AS duration_invalid,
    whole(f.attempts) AS attempts,
    coalesce(f.decoded, true) AS decoded,
    uuid_of(f.evaluation) AS evaluation,
    f.status AS status,
    f.report AS report,
    coalesce(whole(f.refused), 0) AS refused,
    (usage_of(f.usage) IS DISTINCT FROM f.usage)::TINYINT
        + (model_of(f.model) IS DISTINCT FROM f.model)::TINYINT
        + (reason_of(f.reason) IS DISTINCT FROM f.reason)::TINYINT
        + (detail_of(f.detail) IS DISTINCT FROM f.detail)::TINYINT
        + (error_of(f.error) IS DISTINCT FROM f.error)::TINYINT AS misfits,
    CASE
        WHEN f.erased::VARCHAR = 'true' THEN 'erased'
        WHEN f.type IS NULL THEN 'unreadable'
        WHEN NOT known(f.type) THEN 'unknown'
        WHEN uuid_of(f.id) IS NULL THEN 'unreadable'
        WHEN try_cast(f.time AS TIMESTAMP) IS NULL THEN 'unreadable'
        WHEN f.type = 'evaluation' THEN CASE
            WHEN f.usage IS NULL OR whole(f.attempts) IS NULL THEN 'unreadable'
            WHEN f.outcome IN ('completed', 'skipped', 'failed', 'cancelled') THEN 'fact'
            ELSE 'unreadable'
        END
        WHEN f.type IN ('ai_suppressed', 'form_inference') AND uuid_of(f.evaluation) IS NULL
        THEN 'unreadable'
        WHEN f.type = 'form_inference' AND coalesce(f.status, '') NOT IN ('success', 'failure')
        THEN 'unreadable'
        ELSE 'fact'
    END AS reading
FROM fields;
