-- breaking
-- What partners need to ask for changes of accounts only (docs/adr/0024). The two logs are to accounts what those of migration
-- 0010 are to households. Their instants are also those of the import that made the change.

-- Active accounts that came to the firm, changed or left it (moved, closed or removed), each with the last time.
CREATE TABLE account_changes (
  firm_id    text COLLATE "C" NOT NULL REFERENCES firms ON DELETE CASCADE,
  account_id text COLLATE "C" NOT NULL,
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (firm_id, account_id)
);
CREATE INDEX account_changes_in_order ON account_changes (firm_id, changed_at, account_id);
CREATE INDEX account_changes_by_age ON account_changes (changed_at);

-- Accounts that a user was given access to or lost access to, each with the last time.
CREATE TABLE account_access_changes (
  user_id    text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  account_id text COLLATE "C" NOT NULL,
  changed_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, account_id)
);
CREATE INDEX account_access_changes_in_order ON account_access_changes (user_id, changed_at, account_id);
CREATE INDEX account_access_changes_by_age ON account_access_changes (changed_at);

-- The new logs do not know what changed before. Earlier instants are therefore too old for every user.
UPDATE users SET sees_since = greatest(now(), sees_since);
