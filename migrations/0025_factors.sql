-- breaking
-- Second factors (docs/adr/0033). An older server would let users in without them.

-- The user handle of WebAuthn: random, because an authenticator shows it to whoever holds the device.
ALTER TABLE users ADD COLUMN passkey_handle uuid NOT NULL DEFAULT gen_random_uuid();

CREATE TABLE passkeys (
  credential_id text COLLATE "C" PRIMARY KEY,                       -- base64url
  id            bigint GENERATED ALWAYS AS IDENTITY UNIQUE,         -- names it in forms
  user_id       text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  public_key    text NOT NULL,                                      -- COSE, base64url
  counter       bigint NOT NULL,
  transports    text[] NOT NULL,
  synced        boolean NOT NULL,                                   -- it may leave its device (WebAuthn: backup eligible)
  backed_up     boolean NOT NULL,
  name          text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_used_at  timestamptz
);
CREATE INDEX passkeys_of_user ON passkeys (user_id);

-- Challenges of passkeys that were answered. Each counts once, also for passkeys whose counter is always 0.
CREATE TABLE used_challenges (
  hash       bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX used_challenges_expire ON used_challenges (expires_at);

CREATE TABLE totp_secrets (
  user_id      text COLLATE "C" PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  sealed       text NOT NULL,
  last_step    bigint NOT NULL,                                     -- of the last code: it and earlier ones are refused
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);

CREATE TABLE recovery_codes (
  user_id    text COLLATE "C" PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  hashes     bytea[] NOT NULL,                                      -- of the codes that are left
  created_at timestamptz NOT NULL DEFAULT now()
);

-- What a login must reach, and the same as a number that statements compare: 1 password, 2 two factors, 3 resistant to phishing.
CREATE FUNCTION acr_level(acr text) RETURNS smallint LANGUAGE sql IMMUTABLE
  RETURN CASE acr WHEN 'urn:latchkey:acr:two-factor' THEN 2 WHEN 'urn:latchkey:acr:phishing-resistant' THEN 3 ELSE 1 END;
ALTER TABLE firms
  ADD COLUMN require_acr text,
  ADD COLUMN require_level smallint NOT NULL GENERATED ALWAYS AS (acr_level(require_acr)) STORED;
ALTER TABLE roles
  ADD COLUMN require_acr text,
  ADD COLUMN require_level smallint NOT NULL GENERATED ALWAYS AS (acr_level(require_acr)) STORED;
ALTER TABLE partners
  ADD COLUMN require_acr text,
  ADD COLUMN require_level smallint NOT NULL GENERATED ALWAYS AS (acr_level(require_acr)) STORED;

-- Of the login with which the user connected. Until now there were only passwords.
ALTER TABLE connections ADD COLUMN acr_level smallint NOT NULL DEFAULT 1;
