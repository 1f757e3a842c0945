-- compatible
-- What the status page shows: when servers ran, and how many calls failed and how long they took, by day.

-- Times in which at least one server wrote heartbeats. All servers move `up_to` of the newest row. A new row begins after an outage,
-- therefore a year has a few rows. No index on `up_to`: a heartbeat changes no index.
CREATE TABLE uptimes (
  up_from timestamptz PRIMARY KEY,
  up_to   timestamptz NOT NULL CHECK (up_to >= up_from)
) WITH (fillfactor = 50);

-- Times whose heartbeats a restore has lost: between the backup and the restore. Nothing is known about them.
CREATE TABLE lost_heartbeats (
  lost_from timestamptz PRIMARY KEY,
  lost_to   timestamptz NOT NULL CHECK (lost_to >= lost_from)
);

-- Calls of partners by day (UTC). The counts by hour have a row for each partner and are kept for a few weeks only.
CREATE TABLE call_days (
  day    date NOT NULL,
  kind   text NOT NULL,     -- 'read' or 'token'
  calls  bigint NOT NULL,   -- of authenticated callers, and those that failed
  failed bigint NOT NULL,   -- answered with 5xx
  slower bigint[] NOT NULL, -- calls of authenticated callers by duration: src/request-log/call-hours.sql.ts has the bounds
  PRIMARY KEY (day, kind)
) WITH (fillfactor = 50);

INSERT INTO call_days
SELECT h.day, h.kind, sum(CASE WHEN h.client_id = '' THEN h.failed ELSE h.calls END), sum(h.failed),
       ARRAY(SELECT coalesce(sum(s.slower[n]) FILTER (WHERE s.client_id <> ''), 0)
               FROM call_hours s, generate_series(1, 13) n
              WHERE (s.hour AT TIME ZONE 'UTC')::date = h.day AND s.kind = h.kind GROUP BY n ORDER BY n)
  FROM (SELECT (hour AT TIME ZONE 'UTC')::date AS day, kind, client_id, calls, failed FROM call_hours) h
 GROUP BY h.day, h.kind;
