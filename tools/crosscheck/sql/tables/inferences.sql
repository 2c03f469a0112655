-- inferences.csv: answers of form fields by status.

SELECT concat_ws(',',
    window_cells(start_us, end_us), text_cell(subject), text_cell(status), count(*)
)
FROM inferences
GROUP BY start_us, end_us, subject, status
ORDER BY start_us, subject, status;
