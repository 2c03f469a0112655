-- How a value becomes a CSV cell (design, section 4): guard, quotes, fixed decimals, UTC times.
-- A missing value is an empty cell.

CREATE MACRO guarded(value) AS
    CASE WHEN regexp_matches(value, '^[=+\-@\t\r'']') THEN '''' || value ELSE value END;

CREATE MACRO quoted(value) AS
    CASE
        WHEN regexp_matches(value, '[,"\r\n\x{2028}\x{2029}]')
        THEN '"' || replace(value, '"', '""') || '"'
        ELSE value
    END;

CREATE MACRO text_cell(value) AS coalesce(quoted(guarded(value)), '');

CREATE MACRO number_cell(value) AS coalesce(value::VARCHAR, '');

-- A number of thousandths or millionths (not negative) with its decimals written out.
CREATE MACRO decimal_cell(scaled, one, digits) AS
    coalesce(
        (scaled // one)::VARCHAR || '.' || lpad((scaled % one)::VARCHAR, digits, '0'),
        ''
    );

CREATE MACRO ms_cell(us) AS decimal_cell(us::HUGEINT, 1000::HUGEINT, 3);

CREATE MACRO rate_cell(millionths) AS decimal_cell(millionths::HUGEINT, 1000000::HUGEINT, 6);

CREATE MACRO time_cell(us) AS strftime(make_timestamp(us), '%Y-%m-%dT%H:%M:%SZ');

CREATE MACRO window_cells(window_start, window_end) AS
    time_cell(window_start) || ',' || time_cell(window_end);
