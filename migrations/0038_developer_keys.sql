-- compatible
-- Keys of the developer API: programs of one partner manage its application (docs/adr/0046).

CREATE TABLE developer_keys (
  id           text PRIMARY KEY,                   -- not secret: it is in the audit log
  client_id    text COLLATE "C" NOT NULL REFERENCES partners ON DELETE CASCADE,
  name         text NOT NULL,                      -- for people: which program uses it
  role         text NOT NULL CHECK (role IN ('admin', 'developer', 'viewer')),
  hash         bytea NOT NULL UNIQUE CHECK (length(hash) = 32), -- SHA-256 of the key
  created_at   timestamptz NOT NULL DEFAULT now(),
  created_by   jsonb NOT NULL,                     -- kind, id and name of who created it
  expires_at   timestamptz,                        -- null: it does not expire
  last_used_at timestamptz,                        -- written at most once a minute
  revoked_at   timestamptz
);
CREATE INDEX developer_keys_of_partner ON developer_keys (client_id, created_at);

-- Counts for a limit. Volatile: it also sees what was added while the caller waited for the lock on the partner.
CREATE FUNCTION live_developer_keys_of(partner text) RETURNS bigint LANGUAGE sql VOLATILE
  BEGIN ATOMIC
    SELECT count(*) FROM developer_keys
     WHERE client_id = partner AND revoked_at IS NULL AND coalesce(expires_at > now(), true);
  END;
