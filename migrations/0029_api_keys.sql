-- compatible
-- API keys of the admin API, and the answers that a repeated request gets again (docs/adr/0037).

CREATE TABLE api_keys (
  id           text PRIMARY KEY,                   -- not secret: it is in the audit log
  name         text NOT NULL,                      -- for people: which program uses it
  hash         bytea NOT NULL UNIQUE CHECK (length(hash) = 32), -- SHA-256 of the key
  scopes       text[] NOT NULL CHECK (cardinality(scopes) > 0),
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz,                        -- null: it does not expire
  last_used_at timestamptz,                        -- written at most once a minute
  revoked_at   timestamptz
);

-- A request with an Idempotency-Key. The row is inserted by the transaction that carries out the request, so the row exists
-- if and only if the request was carried out.
CREATE TABLE idempotent_requests (
  actor_id    text NOT NULL,                       -- keys of different actors are independent of each other
  key_hash    bytea NOT NULL,                      -- SHA-256 of the Idempotency-Key
  digest      bytea NOT NULL,                      -- SHA-256 of method, path and body
  status      integer,                             -- of the answer
  location    text,                                -- of the answer: the address of the new resource
  body        json,                                -- of the answer, without secrets
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (actor_id, key_hash)
);
CREATE INDEX idempotent_requests_by_age ON idempotent_requests (created_at);
