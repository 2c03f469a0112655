-- inference_values.csv: one count a reported field = value; booleans are true and false.

WITH reported AS (
    SELECT start_us, end_us, subject, report, unnest(json_keys(report)) AS field
    FROM inferences
    WHERE json_type(report) = 'OBJECT'
), valued AS (
    SELECT
        * EXCLUDE (report),
        json_extract_string(report, '$."' || replace(field, '"', '\"') || '"') AS value
    FROM reported
)
SELECT concat_ws(',',
    window_cells(start_us, end_us),
    text_cell(subject), text_cell(field), text_cell(value),
    count(*)
)
FROM valued
GROUP BY start_us, end_us, subject, field, value
ORDER BY start_us, subject, field, value;
