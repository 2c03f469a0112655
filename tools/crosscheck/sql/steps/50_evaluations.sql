-- One row an evaluation, with its window and group; one row an inference, with its window.
-- `windows` (start_us, end_us) holds every window in which something happened.

CREATE TABLE evaluations AS
SELECT
    e.id, e.time_us, e.usage, e.subject, e.session, e.outcome, e.reason, e.detail, e.attempts,
    w.start_us, w.end_us, g.group_id,
    -- Rule 3: what counts as a duration.
    CASE
        WHEN e.attempts >= 1 AND e.outcome <> 'cancelled' AND NOT e.duration_invalid
        THEN e.duration_us
    END AS duration_us
FROM (
    SELECT *, group_names(usage, model, os, device, app, subject) AS names
    FROM staying
    WHERE type = 'evaluation'
) AS e
JOIN groups AS g ON g.names = e.names
ASOF JOIN windows AS w ON e.time_us >= w.start_us;

CREATE TABLE inferences AS
SELECT w.start_us, w.end_us, s.shown_subject AS subject, i.status, i.report
FROM (
    SELECT time_us, coalesce(subject, '') AS subject, status, report
    FROM staying
    WHERE type = 'form_inference'
) AS i
JOIN shown_subjects AS s ON s.subject = i.subject
ASOF JOIN windows AS w ON i.time_us >= w.start_us;

CREATE TABLE suppressed_ids AS
SELECT DISTINCT evaluation AS id
FROM staying
WHERE type = 'ai_suppressed' AND evaluation IS NOT NULL;
