-- The decodable lines without their text, and how many lines there were of each kind.

CREATE TABLE facts AS
SELECT * EXCLUDE (line) FROM decoded;

CREATE TABLE readings AS
SELECT
    count(*) AS lines,
    count(*) FILTER (reading = 'fact') AS facts,
    count(*) FILTER (reading = 'unreadable') AS unreadable,
    count(*) FILTER (reading = 'unknown') AS unknown_type,
    count(*) FILTER (reading = 'erased') AS erased
FROM facts;

DELETE FROM facts WHERE reading <> 'fact';
