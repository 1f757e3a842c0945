-- compatible
-- The row that /readyz writes, to see that the database accepts writes.
CREATE TABLE readiness (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), checked_at timestamptz NOT NULL);
