-- durations.csv (rule 5): the bins themselves, enough to merge again; upper is exclusive.

SELECT concat_ws(',',
    window_cells(start_us, end_us), cells, lower_us, lower_us + width_us, evaluations
)
FROM duration_bins JOIN shown_groups USING (group_id)
ORDER BY start_us, group_id, lower_us;
