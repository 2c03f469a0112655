-- impressions.csv (rule 4): what the user met, in the window and group of its first evaluation.

SELECT concat_ws(',',
    window_cells(start_us, end_us),
    any_value(cells),
    count(*),
    sum(evaluations - 1),
    count(*) FILTER (outcome = 'completed'),
    count(*) FILTER (outcome = 'skipped'),
    count(*) FILTER (outcome = 'failed'),
    count(*) FILTER (outcome = 'cancelled'),
    CASE WHEN count(suppressed) = 0 THEN '' ELSE count_if(suppressed)::VARCHAR END,
    CASE WHEN count(suppressed) = 0 THEN '' ELSE count_if(NOT suppressed)::VARCHAR END
)
FROM impressions JOIN shown_groups USING (group_id)
GROUP BY start_us, end_us, group_id
ORDER BY start_us, group_id;
