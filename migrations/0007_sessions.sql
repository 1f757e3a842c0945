-- compatible
-- What the user needs to tell sessions apart and to end one: an id that is no secret, the browser, and when it was last
-- active. Of the User-Agent only the two names are kept.

ALTER TABLE sessions
  ADD COLUMN id           bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  ADD COLUMN browser      text,
  ADD COLUMN system       text,
  ADD COLUMN last_seen_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX sessions_of_user ON sessions (user_id);
