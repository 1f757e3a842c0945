-- compatible
-- Developers as people, who log in to the developer pages (docs/adr/0045). The tables have the shape of those of operators (0032).

CREATE TABLE developers (
  id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email         text NOT NULL,
  email_folded  text COLLATE "C" NOT NULL UNIQUE,
  name          text NOT NULL,
  status        text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  password_hash text,                                        -- null: the developer has not used the setup link
  login_version uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(), -- changes with credentials and status; ends sessions
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_login_at timestamptz
);

-- Whose application a developer works on, and what the developer may do there.
CREATE TABLE developer_memberships (
  developer_id uuid NOT NULL REFERENCES developers ON DELETE CASCADE,
  client_id    text COLLATE "C" NOT NULL REFERENCES partners ON DELETE CASCADE,
  role         text NOT NULL CHECK (role IN ('admin', 'developer', 'viewer')),
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz,                                  -- null: the developer has not opened the application yet
  PRIMARY KEY (developer_id, client_id)
);
CREATE INDEX developer_memberships_of_partner ON developer_memberships (client_id);

CREATE TABLE developer_totp_secrets (
  developer_id uuid PRIMARY KEY REFERENCES developers ON DELETE CASCADE,
  sealed       text NOT NULL,
  last_step    bigint NOT NULL, -- of the last code: it and earlier ones are refused
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);

CREATE TABLE developer_recovery_codes (
  developer_id uuid PRIMARY KEY REFERENCES developers ON DELETE CASCADE,
  hashes       bytea[] NOT NULL, -- of the codes that are left
  created_at   timestamptz NOT NULL DEFAULT now()
);

-- Whether developers log in through the provider, and what their login must reach there.
ALTER TABLE identity_providers
  ADD COLUMN developers     boolean NOT NULL DEFAULT false,
  ADD COLUMN developers_acr text;

-- Which developer an account at a provider belongs to. The first login decides.
CREATE TABLE developer_identities (
  provider_id   text COLLATE "C" NOT NULL REFERENCES identity_providers ON DELETE CASCADE,
  sub           text COLLATE "C" NOT NULL,
  developer_id  uuid NOT NULL REFERENCES developers ON DELETE CASCADE,
  linked_at     timestamptz NOT NULL DEFAULT now(),
  last_login_at timestamptz,
  PRIMARY KEY (provider_id, sub),
  UNIQUE (provider_id, developer_id)
);
CREATE INDEX developer_identities_of_developer ON developer_identities (developer_id);

-- With a link, a developer sets the password and the second factor once.
CREATE TABLE developer_links (
  developer_id uuid PRIMARY KEY REFERENCES developers ON DELETE CASCADE,
  hash         bytea NOT NULL UNIQUE, -- SHA-256 of the secret in the link
  expires_at   timestamptz NOT NULL
);

CREATE TABLE developer_sessions (
  hash          bytea PRIMARY KEY,                              -- SHA-256 of the id
  id            bigint GENERATED ALWAYS AS IDENTITY UNIQUE,     -- names it in forms
  developer_id  uuid NOT NULL REFERENCES developers ON DELETE CASCADE,
  login_version uuid NOT NULL,                                  -- of the developer; if it has changed, the session has ended
  proved_at     timestamptz NOT NULL DEFAULT now(),             -- when the developer last proved who they are
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
CREATE INDEX developer_sessions_of_developer ON developer_sessions (developer_id, last_seen_at DESC);
CREATE INDEX developer_sessions_by_expiry ON developer_sessions (expires_at);
CREATE INDEX developer_sessions_of_provider ON developer_sessions (provider_id, provider_sub) WHERE provider_id IS NOT NULL;
