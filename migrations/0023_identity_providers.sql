-- compatible
-- Login through OpenID Providers of the platform (docs/adr/0031).

-- Without local passwords, a user of the firm logs in only through an identity provider.
ALTER TABLE firms ADD COLUMN local_passwords boolean NOT NULL DEFAULT true;

CREATE TABLE identity_providers (
  id             text COLLATE "C" PRIMARY KEY, -- part of the addresses that are registered at the provider
  name           text NOT NULL,                -- users see it
  issuer         text COLLATE "C" NOT NULL UNIQUE,
  client_id      text NOT NULL,
  auth_method    text NOT NULL CHECK (auth_method IN
    ('client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt')),
  credential     text NOT NULL,                -- sealed: the client secret, or the private key as a JWK
  public_jwk     jsonb,                        -- of private_key_jwt
  claim          text NOT NULL,                -- by its value a first login finds the user
  matches        text NOT NULL CHECK (matches IN ('email', 'id')), -- what of the user has that value
  firms          text[] COLLATE "C" NOT NULL,  -- only users of these firms may log in; empty: of all
  creates_firm   text COLLATE "C" REFERENCES firms ON DELETE SET NULL, -- with creates_role: a first login without a user
  creates_role   text COLLATE "C" REFERENCES roles ON DELETE SET NULL, --   creates one, in this firm and role
  scope          text NOT NULL,
  acr_values     text,
  created_at     timestamptz NOT NULL DEFAULT now(),
  CHECK ((auth_method = 'private_key_jwt') = (public_jwk IS NOT NULL))
);

-- Email domains whose users log in through the provider.
CREATE TABLE identity_provider_domains (
  domain      text COLLATE "C" PRIMARY KEY, -- lower case, punycode
  provider_id text COLLATE "C" NOT NULL REFERENCES identity_providers ON DELETE CASCADE
);
CREATE INDEX identity_provider_domains_of_provider ON identity_provider_domains (provider_id);

-- Which user an account at a provider belongs to. The first login decides; email addresses change hands, subjects do not.
CREATE TABLE identities (
  provider_id   text COLLATE "C" NOT NULL REFERENCES identity_providers ON DELETE CASCADE,
  sub           text COLLATE "C" NOT NULL,
  user_id       text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  linked_at     timestamptz NOT NULL DEFAULT now(),
  last_login_at timestamptz,
  PRIMARY KEY (provider_id, sub),
  UNIQUE (provider_id, user_id)
);
CREATE INDEX identities_of_user ON identities (user_id);

-- Of a session that a login through a provider opened. `auth_time` is then the time of the authentication at the provider.
ALTER TABLE sessions
  ADD COLUMN request_id          text,        -- the authorization request for which the user logged in
  ADD COLUMN auth_time_is_known  boolean NOT NULL DEFAULT true, -- false: the provider did not tell; auth_time is our time
  ADD COLUMN provider_id         text COLLATE "C" REFERENCES identity_providers ON DELETE CASCADE,
  ADD COLUMN provider_sub        text COLLATE "C",
  ADD COLUMN provider_sid        text COLLATE "C",
  ADD COLUMN provider_id_token   text;        -- sealed; the provider's logout needs it
CREATE INDEX sessions_of_provider ON sessions (provider_id, provider_sub) WHERE provider_id IS NOT NULL;

-- Logout tokens that were used. Each counts once.
CREATE TABLE logout_tokens (
  hash       bytea PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX logout_tokens_by_expiry ON logout_tokens (expires_at);
