-- breaking
-- All accounts that a user may see, page by page, and what changed of them (docs/adr/0024).

-- An account carries the firm of its household, so that the accounts of a firm are read from one index in the order of the
-- listing. The foreign key keeps the two equal.
ALTER TABLE accounts ADD COLUMN firm_id text COLLATE "C";
UPDATE accounts a SET firm_id = h.firm_id FROM households h WHERE h.id = a.household_id;

-- PostgreSQL's own conversion to text depends on settings of the connection, which a generated column must not.
CREATE FUNCTION iso_date(day date) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT lpad(extract(year FROM day)::text, 4, '0') || '-' || lpad(extract(month FROM day)::text, 2, '0')
         || '-' || lpad(extract(day FROM day)::text, 2, '0')
$$;

-- `json` is the account as the API answers it. To make it for each answer would take as long as the rest of the page.
ALTER TABLE accounts
  ALTER COLUMN firm_id SET NOT NULL,
  ADD COLUMN json text COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (json_strip_nulls(json_object(ARRAY[
      'id', id, 'household_id', household_id, 'name', name, 'type', type, 'number_masked', number_masked,
      'custodian', custodian, 'currency', currency, 'status', status, 'opened_on', iso_date(opened_on)]))::text) STORED,
  DROP CONSTRAINT accounts_household_id_fkey,
  ADD CONSTRAINT accounts_household_fkey
    FOREIGN KEY (household_id, firm_id) REFERENCES households (id, firm_id) ON UPDATE CASCADE;
CREATE INDEX accounts_listed ON accounts (firm_id, household_id, id) WHERE status = 'active';

-- Now also for accounts.
ALTER FUNCTION set_firm_of_access() RENAME TO set_firm_of_household;
CREATE OR REPLACE FUNCTION set_firm_of_household() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    SELECT firm_id INTO NEW.firm_id FROM households WHERE id = NEW.household_id;
    -- Another transaction removed the household after this statement began. NOT NULL would report a missing firm instead.
    IF NOT FOUND THEN
      RAISE foreign_key_violation
        USING MESSAGE = format('household "%s" of an %s row does not exist', NEW.household_id, TG_TABLE_NAME);
    END IF;
    RETURN NEW;
  END $$;
CREATE TRIGGER set_firm_of_new_account BEFORE INSERT ON accounts
  FOR EACH ROW WHEN (NEW.firm_id IS NULL) EXECUTE FUNCTION set_firm_of_household();
-- The account moved to another household, perhaps of another firm.
CREATE TRIGGER set_firm_of_moved_account BEFORE UPDATE ON accounts
  FOR EACH ROW WHEN (OLD.household_id <> NEW.household_id) EXECUTE FUNCTION set_firm_of_household();

-- The two logs are to accounts what those of migration 0010 are to households. Their instants are also those of the import
-- that made the change.

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
