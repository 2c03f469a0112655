-- outcomes.csv: evaluations by outcome, and by why.

SELECT concat_ws(',',
    window_cells(start_us, end_us),
    any_value(cells),
    text_cell(outcome), text_cell(why), text_cell(detail),
    count(*)
)
FROM (
    SELECT * EXCLUDE (detail), coalesce(reason, '') AS why, coalesce(detail, '') AS detail
    FROM evaluations
)
JOIN shown_groups USING (group_id)
GROUP BY start_us, end_us, group_id, outcome, why, detail
ORDER BY start_us, group_id, outcome, why, detail;
