-- Rule 6: the groups with most evaluations in the whole range keep their names (ties by bytes), all
-- others become (other). `group_names` is made from --by; a missing value counts as empty text.
-- group_id follows the order of the names as bytes, so it sorts the tables.

CREATE TABLE groups AS
WITH sized AS (
    SELECT group_names(usage, model, os, device, app, subject) AS names, count(*) AS evaluations
    FROM staying
    WHERE type = 'evaluation'
    GROUP BY names
), ranked AS (
    SELECT names, row_number() OVER (ORDER BY evaluations DESC, names) AS place FROM sized
), shown AS (
    SELECT
        names,
        CASE
            WHEN place <= getvariable('max_groups') THEN names
            ELSE list_transform(names, lambda name: '(other)')
        END AS shown_names
    FROM ranked
)
SELECT
    names,
    dense_rank() OVER (ORDER BY shown_names) AS group_id,
    array_to_string(list_transform(shown_names, lambda name: text_cell(name)), ',') AS cells
FROM shown;

CREATE TABLE shown_groups AS
SELECT DISTINCT group_id, cells FROM groups;

CREATE TABLE shown_subjects AS
SELECT
    subject,
    CASE
        WHEN row_number() OVER (ORDER BY count(*) DESC, subject) <= getvariable('max_groups')
        THEN subject
        ELSE '(other)'
    END AS shown_subject
FROM (SELECT coalesce(subject, '') AS subject FROM staying WHERE type = 'form_inference')
GROUP BY subject;
