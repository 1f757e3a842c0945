-- compatible
-- What the user is told about each grant: who ended it, when it was last used, and how much was read by it.

ALTER TABLE grants
  ADD COLUMN last_used_at timestamptz, -- by a call with a live token or a token refresh, as far as it has been written
  ADD COLUMN revoked_by   text CHECK (revoked_by IN ('user', 'operator'));

-- `day` is the day in UTC. Rows are counted each time they are read.
CREATE TABLE grant_reads (
  grant_id   bigint NOT NULL REFERENCES grants ON DELETE CASCADE,
  day        date NOT NULL,
  requests   bigint NOT NULL,
  households bigint NOT NULL,
  accounts   bigint NOT NULL,
  PRIMARY KEY (grant_id, day)
);
