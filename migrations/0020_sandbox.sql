-- compatible
-- Connections of a sandbox whose clock was moved forward (docs/adr/0026). Empty in production. No foreign key: PostgreSQL
-- would check it at each refresh of a connection.
CREATE TABLE sandbox_clocks (
  refresh_locator_hash bytea PRIMARY KEY,
  access_locator_hash  bytea NOT NULL UNIQUE,
  -- By how much the connection's clock is ahead of the server's.
  seconds_ahead        bigint NOT NULL CHECK (seconds_ahead > 0)
);

-- The application whose credentials the docs of a sandbox publish, so that a developer can try the API at once.
CREATE TABLE sandbox_application (
  client_id     text PRIMARY KEY REFERENCES partners ON DELETE CASCADE,
  client_secret text NOT NULL
);
