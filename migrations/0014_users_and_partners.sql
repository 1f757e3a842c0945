-- compatible
-- Set by `user disable`, unset by `user enable`: an import does not make this user active again.
ALTER TABLE users ADD COLUMN disabled_by_operator_at timestamptz;
-- The partner's public web site: https, or http on loopback.
ALTER TABLE partners ADD COLUMN site text;
