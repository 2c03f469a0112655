-- quality.csv without its log_* rows: how much of the log could be used, and what was odd in it.

WITH records AS (
    SELECT
        count(*) AS records,
        count(*) FILTER (type = 'evaluation') AS evaluations,
        count(*) FILTER (
            type = 'evaluation' AND (subject IS NULL OR session IS NULL)
        ) AS unkeyed,
        count(*) FILTER (type = 'evaluation' AND duration_invalid) AS invalid_durations,
        count(*) FILTER (type = 'evaluation' AND NOT decoded) AS undecoded,
        count(*) FILTER (time_assumed) AS assumed_times,
        coalesce(sum(misfits), 0) AS misfit_values,
        coalesce(sum(refused::HUGEINT) FILTER (type = 'log_gap'), 0) AS refused
    FROM staying
), named AS (
    SELECT unnest([
        {name: 'assumed_times', value: assumed_times::HUGEINT},
        {name: 'conflicts', value: conflicts},
        {name: 'duplicates', value: facts - records},
        {name: 'erased_lines', value: erased},
        {name: 'evaluations', value: evaluations},
        {name: 'invalid_durations', value: invalid_durations},
        {name: 'lines', value: lines},
        {name: 'misfit_values', value: misfit_values},
        {name: 'records', value: records},
        {name: 'refused', value: refused},
        {name: 'undecoded', value: undecoded},
        {name: 'unkeyed', value: unkeyed},
        {name: 'unknown_type_lines', value: unknown_type},
        {name: 'unreadable_lines', value: unreadable}
    ], recursive := true)
    FROM records, readings, conflicts
)
SELECT name || ',' || value FROM named ORDER BY name;
