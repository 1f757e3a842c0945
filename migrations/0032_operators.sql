-- compatible
-- Operators as people, who log in to the console (docs/adr/0040).

CREATE TABLE operators (
  id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email         text NOT NULL,
  email_folded  text COLLATE "C" NOT NULL UNIQUE,
  name          text NOT NULL,
  role          text NOT NULL CHECK (role IN ('owner', 'support', 'read_only')),
  status        text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  password_hash text,                                        -- null: the operator has not used the setup link
  login_version uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(), -- changes with credentials, role and status; ends sessions
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_login_at timestamptz
);

CREATE TABLE operator_totp_secrets (
  operator_id  uuid PRIMARY KEY REFERENCES operators ON DELETE CASCADE,
  sealed       text NOT NULL,
  last_step    bigint NOT NULL, -- of the last code: it and earlier ones are refused
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);

CREATE TABLE operator_recovery_codes (
  operator_id uuid PRIMARY KEY REFERENCES operators ON DELETE CASCADE,
  hashes      bytea[] NOT NULL, -- of the codes that are left
  created_at  timestamptz NOT NULL DEFAULT now()
);

-- Whether operators log in through the provider, and what their login must reach there.
ALTER TABLE identity_providers
  ADD COLUMN operators     boolean NOT NULL DEFAULT false,
  ADD COLUMN operators_acr text;

-- Which operator an account at a provider belongs to. The first login decides.
CREATE TABLE operator_identities (
  provider_id   text COLLATE "C" NOT NULL REFERENCES identity_providers ON DELETE CASCADE,
  sub           text COLLATE "C" NOT NULL,
  operator_id   uuid NOT NULL REFERENCES operators ON DELETE CASCADE,
  linked_at     timestamptz NOT NULL DEFAULT now(),
  last_login_at timestamptz,
  PRIMARY KEY (provider_id, sub),
  UNIQUE (provider_id, operator_id)
);
CREATE INDEX operator_identities_of_operator ON operator_identities (operator_id);

-- With a link, an operator sets the password and the second factor once.
CREATE TABLE operator_links (
  operator_id uuid PRIMARY KEY REFERENCES operators ON DELETE CASCADE,
  hash        bytea NOT NULL UNIQUE, -- SHA-256 of the secret in the link
  expires_at  timestamptz NOT NULL
);

CREATE TABLE operator_sessions (
  hash          bytea PRIMARY KEY,                              -- SHA-256 of the id
  id            bigint GENERATED ALWAYS AS IDENTITY UNIQUE,     -- names it in forms
  operator_id   uuid NOT NULL REFERENCES operators ON DELETE CASCADE,
  login_version uuid NOT NULL,                                  -- of the operator; if it has changed, the session has ended
  proved_at     timestamptz NOT NULL DEFAULT now(),             -- when the operator last proved who they are
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_seen_at  timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz NOT NULL,
  browser       text,
  system        text,
  address       text,
  provider_id   text COLLATE "C" REFERENCES identity_providers ON DELETE CASCADE,
  provider_sub  text COLLATE "C",
  provider_sid  text COLLATE "C"
);
CREATE INDEX operator_sessions_of_operator ON operator_sessions (operator_id, last_seen_at DESC);
CREATE INDEX operator_sessions_by_expiry ON operator_sessions (expires_at);
CREATE INDEX operator_sessions_of_provider ON operator_sessions (provider_id, provider_sub) WHERE provider_id IS NOT NULL;

-- Calls by hour, for the overview of the console. A server adds to the rows every few seconds.
CREATE TABLE call_hours (
  hour            timestamptz NOT NULL,
  kind            text NOT NULL,             -- 'read' or 'token'
  client_id       text COLLATE "C" NOT NULL, -- empty: the partner is unknown
  calls           bigint NOT NULL,
  refused         bigint NOT NULL,           -- answered with 4xx
  failed          bigint NOT NULL,           -- answered with 5xx
  refresh_refused bigint NOT NULL,           -- of the refused: refreshes
  slower          bigint[] NOT NULL,         -- calls by duration: src/request-log/call-hours.ts has the bounds
  PRIMARY KEY (hour, kind, client_id)
);
CREATE INDEX grants_by_creation ON grants (created_at);
