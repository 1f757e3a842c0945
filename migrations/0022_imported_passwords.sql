-- compatible
-- Password hashes that platforms bring (docs/adr/0030).

-- SHA-256 of the hash that an import stored last for this user. The next import changes the password only if its hash is another
-- one: the stored hash may have been replaced since, at a login or because the user changed the password.
ALTER TABLE users ADD COLUMN imported_hash_digest bytea;

-- A login with an address that belongs to no user verifies the hash of another user (begin_login): the one whose login_version,
-- a random value, follows a digest of the address under this key.
ALTER TABLE deployment ADD COLUMN decoy_key uuid NOT NULL DEFAULT gen_random_uuid();
DROP INDEX users_with_password;
CREATE INDEX users_by_login_version ON users (login_version) WHERE password_hash IS NOT NULL;
