-- compatible
-- Partners, what users agreed to, and the tokens that follow from it. Secrets, codes, tokens and session ids are
-- stored as SHA-256 only: each holds 256 random bits, so a plain digest is as good as a slow one and can be looked up.

CREATE TABLE partners (
  client_id     text COLLATE "C" PRIMARY KEY,
  name          text NOT NULL,
  status        text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  redirect_uris text[] NOT NULL CHECK (cardinality(redirect_uris) > 0),
  require_pkce  boolean NOT NULL DEFAULT false,
  secret_hashes bytea[] NOT NULL CHECK (cardinality(secret_hashes) BETWEEN 1 AND 2), -- the newest first
  created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE sessions (
  hash       bytea PRIMARY KEY,
  user_id    text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  credential bytea NOT NULL, -- SHA-256 of the password hash that the login was checked against
  auth_time  timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Failed logins counted per account and per source; both keys are keyed digests, so neither can be read back.
CREATE TABLE login_failures (
  key       bytea PRIMARY KEY,
  count     integer NOT NULL,
  resets_at timestamptz NOT NULL
);
CREATE INDEX login_failures_by_reset ON login_failures (resets_at);

-- A user's consent for one partner. `subject` is what the partner knows the user by: random, different for each
-- partner, and the same again when the user comes back after disconnecting.
CREATE TABLE grants (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id    text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  client_id  text COLLATE "C" NOT NULL REFERENCES partners ON DELETE CASCADE,
  subject    text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE UNIQUE INDEX live_grant ON grants (user_id, client_id) WHERE revoked_at IS NULL;
CREATE INDEX grants_of_user ON grants (user_id, client_id);

-- What one authorization code started. The code is part of the row: whether it was redeemed, and what a replay must
-- revoke, is then decided by the lock on this one row (docs/adr/0004).
CREATE TABLE connections (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  grant_id        bigint NOT NULL REFERENCES grants ON DELETE CASCADE,
  client_id       text COLLATE "C" NOT NULL,
  code_hash       bytea NOT NULL UNIQUE,
  code_expires_at timestamptz NOT NULL,
  redemptions     integer NOT NULL DEFAULT 0,
  redirect_uri    text NOT NULL,
  code_challenge  text,
  nonce           text,
  auth_time       timestamptz NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  revoked_at      timestamptz,
  revoked_for     text CHECK (revoked_for IN ('code_replayed', 'code_misused', 'refresh_replayed', 'partner'))
);
CREATE INDEX connections_of_grant ON connections (grant_id);

CREATE TABLE access_tokens (
  hash          bytea PRIMARY KEY,
  connection_id bigint NOT NULL REFERENCES connections ON DELETE CASCADE,
  expires_at    timestamptz NOT NULL
);
CREATE INDEX access_tokens_of_connection ON access_tokens (connection_id);
CREATE INDEX access_tokens_by_expiry ON access_tokens (expires_at);

CREATE TABLE refresh_tokens (
  hash          bytea PRIMARY KEY,
  connection_id bigint NOT NULL REFERENCES connections ON DELETE CASCADE,
  expires_at    timestamptz NOT NULL,
  rotated_at    timestamptz
);
CREATE INDEX refresh_tokens_of_connection ON refresh_tokens (connection_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);

-- Signing keys: the public half as published, the private half encrypted under a key derived from LATCHKEY_SECRET.
CREATE TABLE signing_keys (
  kid         text PRIMARY KEY,
  algorithm   text NOT NULL,
  public_jwk  jsonb NOT NULL,
  private_jwk text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now()
);
