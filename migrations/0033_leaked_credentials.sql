-- compatible
-- Credentials that were found in public or reported as leaked (docs/adr/0042).

ALTER TABLE connections DROP CONSTRAINT connections_revoked_for_check;
ALTER TABLE connections ADD CONSTRAINT connections_revoked_for_check CHECK (
  revoked_for IN ('code_replayed', 'code_misused', 'refresh_replayed', 'partner', 'leaked')) NOT VALID;
-- The next migration validates it, while reads and writes go on.

-- SHA-256 of secrets that were withdrawn because they leaked, so that the partner learns why they are refused.
ALTER TABLE partners
  ADD COLUMN leaked_secret_hashes bytea[] NOT NULL DEFAULT '{}',
  DROP CONSTRAINT partners_can_authenticate;
ALTER TABLE partners ADD CONSTRAINT partners_can_authenticate CHECK (
  cardinality(secret_hashes) + cardinality(key_thumbprints) + cardinality(leaked_secret_hashes) > 0);
