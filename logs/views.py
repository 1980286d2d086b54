"""The views of the log: what a curator asks most, as SQL that any program can read.

Instants in the views are corrected: UTC as it was stored, plus the later steps of the wall clock.
A visit is one or more sessions with gaps shorter than `join_s` between them, by default 2.8 s, the
time in which a bug wholly recovers. `short_s` and `join_s` stand in the table `view_setting`.
"""

from __future__ import annotations

SESSION_CLOSED = """
CREATE VIEW session_closed AS SELECT * FROM session WHERE demo = 0 AND end_reason <> 'open'
"""

SESSION_VALID = """
CREATE VIEW session_valid AS
SELECT * FROM session_closed WHERE duration_s >= (SELECT short_s FROM view_setting)
"""

# The end is the start and the duration: the wall clock may have been stepped between the two. A gap is
# the difference of true times, as the monotonic clock stands still while the machine sleeps.
GAP = """
CREATE VIEW gap AS
WITH timed AS (
    SELECT id, local_date, duration_s, on_at_us + clock_step_ms * 1000 AS on_us,
        on_at_us + clock_step_ms * 1000 + CAST(round(duration_s * 1e6) AS INTEGER) AS off_us
    FROM session_closed),
neighbours AS (
    SELECT *, lag(id) OVER day AS before, lag(off_us) OVER day AS off_before_us
    FROM timed WINDOW day AS (PARTITION BY local_date ORDER BY on_us, id))
SELECT id AS session, before, local_date, on_us, off_us, duration_s,
    max(0.0, (on_us - off_before_us) / 1e6) AS gap_s
FROM neighbours
"""

# Without GROUP BY, so that a question for one day reads that day only.
VISIT = """
CREATE VIEW visit AS
WITH marked AS (
    SELECT *, gap_s IS NULL OR gap_s >= (SELECT join_s FROM view_setting) AS begins FROM gap),
numbered AS (
    SELECT *, sum(begins) OVER
        (PARTITION BY local_date ORDER BY on_us, session ROWS UNBOUNDED PRECEDING) AS number
    FROM marked),
summed AS (
    SELECT *, count(*) OVER whole AS sessions, max(off_us) OVER whole AS last_off_us,
        sum(duration_s) OVER whole AS light_s,
        total(CASE WHEN begins THEN 0 ELSE gap_s END) OVER whole AS dark_s
    FROM numbered WINDOW whole AS (PARTITION BY local_date, number))
SELECT local_date, number, session AS first_session, sessions, on_us, last_off_us AS off_us, light_s,
    light_s + dark_s AS span_s
FROM summed WHERE begins
"""

# What a purge has taken is counted in day_rollup, all else by its sessions. A day of which visits came
# again after its purge, by an import, stands in both.
PER_HOUR = """
CREATE VIEW per_hour AS
SELECT local_date, utc_offset_min, local_hour, count(*) AS contacts,
    sum(duration_s >= (SELECT short_s FROM view_setting)) AS sessions,
    total(CASE WHEN duration_s >= (SELECT short_s FROM view_setting) THEN duration_s END) AS total_s,
    min(CASE WHEN duration_s >= (SELECT short_s FROM view_setting) THEN duration_s END) AS min_s,
    max(CASE WHEN duration_s >= (SELECT short_s FROM view_setting) THEN duration_s END) AS max_s,
    0 AS purged
FROM session_closed GROUP BY local_date, utc_offset_min, local_hour
UNION ALL
SELECT local_date, utc_offset_min, local_hour, contacts, sessions, total_s, min_s, max_s, 1 FROM day_rollup
"""

PER_DAY = """
CREATE VIEW per_day AS
SELECT *, total_s / nullif(sessions, 0) AS mean_s FROM (
    SELECT local_date, count(*) AS contacts,
        sum(duration_s >= (SELECT short_s FROM view_setting)) AS sessions,
        total(CASE WHEN duration_s >= (SELECT short_s FROM view_setting) THEN duration_s END) AS total_s,
        min(CASE WHEN duration_s >= (SELECT short_s FROM view_setting) THEN duration_s END) AS min_s,
        max(CASE WHEN duration_s >= (SELECT short_s FROM view_setting) THEN duration_s END) AS max_s,
        0 AS purged
    FROM session_closed GROUP BY local_date
    UNION ALL
    SELECT local_date, sum(contacts), sum(sessions), sum(total_s), min(min_s), max(max_s), 1
    FROM day_rollup GROUP BY local_date)
"""

VIEWS = (SESSION_CLOSED, SESSION_VALID, GAP, VISIT, PER_HOUR, PER_DAY)
