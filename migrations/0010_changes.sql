-- breaking
-- What partners need to ask for changes only (docs/adr/0014). All instants are those of the import that made the change:
-- imports wait for each other, so a later one has a later instant, and none becomes visible out of order.

-- When anything that users of the firm may see last changed.
ALTER TABLE firms ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now();
-- Since when the two logs tell all that changed for the user; before it, another role or firm decided.
ALTER TABLE users ADD COLUMN sees_since timestamptz NOT NULL DEFAULT now();

-- Households that came to the firm, changed or left it, each with the last time.
CREATE TABLE household_changes (
  firm_id      text COLLATE "C" NOT NULL REFERENCES firms ON DELETE CASCADE,
  household_id text COLLATE "C" NOT NULL,
  changed_at   timestamptz NOT NULL,
  PRIMARY KEY (firm_id, household_id)
);
CREATE INDEX household_changes_in_order ON household_changes (firm_id, changed_at, household_id);
CREATE INDEX household_changes_by_age ON household_changes (changed_at);

-- Households that a user's access rows began or ceased to show, each with the last time.
CREATE TABLE access_changes (
  user_id      text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
  household_id text COLLATE "C" NOT NULL,
  changed_at   timestamptz NOT NULL,
  PRIMARY KEY (user_id, household_id)
);
CREATE INDEX access_changes_in_order ON access_changes (user_id, changed_at, household_id);
CREATE INDEX access_changes_by_age ON access_changes (changed_at);
