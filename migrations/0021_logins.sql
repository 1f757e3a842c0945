-- breaking
-- How a user logged in (docs/adr/0030).

-- A random value that changes whenever the user's credentials change: a new password, removed second factors. Sessions and
-- known browsers remember the value, and end when it changes. They do not depend on the password hash, because a login
-- may replace the hash of an unchanged password.
ALTER TABLE users ADD COLUMN login_version uuid NOT NULL DEFAULT gen_random_uuid();

ALTER TABLE sessions
  ADD COLUMN login_version uuid,
  ADD COLUMN acr text NOT NULL DEFAULT 'urn:latchkey:acr:password',
  ADD COLUMN amr text[] NOT NULL DEFAULT '{pwd}'; -- RFC 8176
UPDATE sessions s SET login_version = u.login_version
  FROM users u WHERE u.id = s.user_id AND s.credential = sha256(convert_to(u.password_hash, 'UTF8'));
DELETE FROM sessions WHERE login_version IS NULL;
ALTER TABLE sessions
  ALTER COLUMN login_version SET NOT NULL,
  ALTER COLUMN acr DROP DEFAULT,
  ALTER COLUMN amr DROP DEFAULT,
  DROP COLUMN credential;

-- How the user had logged in when the code was issued, for the id_token.
ALTER TABLE connections
  ADD COLUMN acr text NOT NULL DEFAULT 'urn:latchkey:acr:password',
  ADD COLUMN amr text[] NOT NULL DEFAULT '{pwd}';
ALTER TABLE connections
  ALTER COLUMN acr DROP DEFAULT,
  ALTER COLUMN amr DROP DEFAULT;
