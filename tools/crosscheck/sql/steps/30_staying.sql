-- Rule 1: of the lines with one (type, id) the one with the least (time, bytes) stays. Only the
-- lines whose id occurs twice are read again for their bytes.

CREATE TABLE repeated AS
SELECT type, id FROM facts GROUP BY type, id HAVING count(*) > 1;

CREATE TABLE contested AS
SELECT
    *,
    row_number() OVER least_first AS place,
    first_value(comparable) OVER least_first AS staying
FROM (
    SELECT
        *,
        -- An assumed time is the time of the import, so it makes no conflict.
        CASE
            WHEN time_assumed THEN regexp_replace(line, '"time":"[^"]*"', '"time":""')
            ELSE line
        END AS comparable
    FROM decoded SEMI JOIN repeated USING (type, id)
    WHERE reading = 'fact'
)
WINDOW least_first AS (
    PARTITION BY type, id ORDER BY time_us, line ROWS UNBOUNDED PRECEDING
);

CREATE TABLE conflicts AS
SELECT count(*) AS conflicts FROM contested WHERE comparable <> staying;

CREATE VIEW staying AS
SELECT * FROM facts ANTI JOIN repeated USING (type, id)
UNION ALL BY NAME
SELECT * EXCLUDE (line, comparable, staying, place) FROM contested WHERE place = 1;
