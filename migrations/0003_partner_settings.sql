-- compatible
-- How a partner proves who it is, how its id_tokens are signed, and where its users may land after logging out.
-- A partner that signs assertions (private_key_jwt) has public keys instead of secrets. `key_thumbprints` are the
-- RFC 7638 thumbprints of the keys in `jwks`: the statement that acts on an assertion asks by them whether the key that
-- verified it is still registered, so that no server can go on trusting a key it has in memory.

ALTER TABLE partners
  ADD COLUMN auth_methods text[] NOT NULL DEFAULT '{client_secret_basic,client_secret_post}'
    CHECK (cardinality(auth_methods) > 0
      AND auth_methods <@ '{client_secret_basic,client_secret_post,private_key_jwt}'::text[]),
  ADD COLUMN jwks jsonb,
  ADD COLUMN key_thumbprints bytea[] NOT NULL DEFAULT '{}',
  ADD COLUMN id_token_alg text NOT NULL DEFAULT 'RS256' CHECK (id_token_alg IN ('RS256', 'ES256')),
  ADD COLUMN post_logout_redirect_uris text[] NOT NULL DEFAULT '{}',
  DROP CONSTRAINT partners_secret_hashes_check,
  ADD CONSTRAINT partners_secret_hashes_check CHECK (cardinality(secret_hashes) <= 2),
  ADD CONSTRAINT partners_can_authenticate CHECK (cardinality(secret_hashes) + cardinality(key_thumbprints) > 0);

-- Assertions that were accepted, until they expire: each counts once (RFC 7523 section 3).
CREATE TABLE client_assertions (
  hash       bytea PRIMARY KEY, -- SHA-256 over client_id and jti
  expires_at timestamptz NOT NULL
);
CREATE INDEX client_assertions_by_expiry ON client_assertions (expires_at);
