-- compatible
-- Pages by number at constant cost (docs/adr/0020). Every listing is divided into ranges of about a thousand households, each
-- with its count. A listing is all households of a firm, or those of a firm that a user has access to.

-- An access row carries the firm of its household, so that the households of a page are counted without a look at each.
-- The foreign key keeps the two equal. The order of the primary key's columns stays.
ALTER TABLE account_access ADD COLUMN firm_id text COLLATE "C";
ALTER TABLE account_access DROP CONSTRAINT account_access_pkey;
DROP INDEX account_access_of_account;
UPDATE account_access x SET firm_id = h.firm_id FROM households h WHERE h.id = x.household_id;
DROP INDEX households_listed;
CREATE UNIQUE INDEX households_listed ON households (firm_id, id) INCLUDE (json, name_searched);
ALTER TABLE account_access
  ALTER COLUMN firm_id SET NOT NULL,
  ADD PRIMARY KEY (user_id, household_id, account_id) INCLUDE (firm_id),
  ADD CONSTRAINT account_access_household_fkey
    FOREIGN KEY (household_id, firm_id) REFERENCES households (id, firm_id) ON UPDATE CASCADE;
-- Both foreign keys find the rows of a household or account by it.
CREATE INDEX account_access_of_household ON account_access (household_id, account_id);

CREATE FUNCTION set_firm_of_access() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    SELECT firm_id INTO NEW.firm_id FROM households WHERE id = NEW.household_id;
    -- Another transaction removed the household after this statement began. NOT NULL would report a missing firm instead.
    IF NOT FOUND THEN
      RAISE foreign_key_violation USING MESSAGE = format('household "%s" of an account_access row does not exist', NEW.household_id);
    END IF;
    RETURN NEW;
  END $$;
CREATE TRIGGER set_firm_of_new_access BEFORE INSERT ON account_access
  FOR EACH ROW WHEN (NEW.firm_id IS NULL) EXECUTE FUNCTION set_firm_of_access();
-- The account moved to another household, perhaps of another firm.
CREATE TRIGGER set_firm_of_moved_access BEFORE UPDATE ON account_access
  FOR EACH ROW WHEN (OLD.household_id <> NEW.household_id) EXECUTE FUNCTION set_firm_of_access();

-- A range has the ids after `after_id`, up to and including the `after_id` of the next range. A listing without households
-- has no ranges. `user_id` is empty for all households of the firm.
CREATE TABLE listing_ranges (
  firm_id    text COLLATE "C" NOT NULL,
  user_id    text COLLATE "C" NOT NULL,
  after_id   text COLLATE "C" NOT NULL,
  households integer NOT NULL,
  PRIMARY KEY (firm_id, user_id, after_id)
) WITH (fillfactor = 70); -- leaves room to update a count in place

-- Every id is after the empty one.
ALTER TABLE households ADD CONSTRAINT households_id_not_empty CHECK (id <> '');

-- Households in a new range. A range is divided when it has more than twice as many.
CREATE FUNCTION listing_range_size() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1000';

-- One household in one listing.
CREATE TYPE listing_entry AS (firm_id text COLLATE "C", user_id text COLLATE "C", id text COLLATE "C");

-- The `after_id` of the range to which the entry belongs, null if there is none.
CREATE FUNCTION range_of(entry listing_entry) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT after_id FROM listing_ranges
   WHERE firm_id = entry.firm_id AND user_id = entry.user_id AND after_id < entry.id
   ORDER BY after_id DESC LIMIT 1
$$;

-- Locks the ranges of these entries until the end of the transaction, and creates those that are missing. Another
-- transaction may divide or remove a range while this one waits for it. The function therefore looks again after the wait.
-- Only the transaction that holds a range's lock may change the range or insert another one in its place.
CREATE FUNCTION lock_ranges(entries listing_entry[]) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    locked listing_entry[];
  BEGIN
    LOOP
      INSERT INTO listing_ranges (firm_id, user_id, after_id, households)
      SELECT DISTINCT e.firm_id, e.user_id, '', 0 FROM unnest(entries) e WHERE range_of(e) IS NULL ORDER BY 1, 2
          ON CONFLICT DO NOTHING;
      SELECT coalesce(array_agg((r.firm_id, r.user_id, r.after_id)::listing_entry), '{}') INTO locked
        FROM (SELECT * FROM listing_ranges
               WHERE (firm_id, user_id, after_id) IN (SELECT e.firm_id, e.user_id, range_of(e) FROM unnest(entries) e)
               ORDER BY firm_id, user_id, after_id FOR UPDATE) r;
      EXIT WHEN NOT EXISTS (
        SELECT FROM unnest(entries) e WHERE (e.firm_id, e.user_id, range_of(e))::listing_entry <> ALL (locked));
    END LOOP;
  END $$;

-- Counts the range that begins after `start_id` anew, as one or more ranges. It must have been deleted. Without households, no
-- range comes in its place: the range before it, if any, then has its ids.
CREATE FUNCTION count_range(of_firm text, of_user text, start_id text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    until text := (SELECT coalesce(min(after_id), chr(1114111)) FROM listing_ranges -- the last character sorts after every id
                    WHERE firm_id = of_firm AND user_id = of_user AND after_id > start_id);
  BEGIN
    INSERT INTO listing_ranges (firm_id, user_id, after_id, households)
    SELECT of_firm, of_user, coalesce(lag(last_id) OVER (ORDER BY piece), start_id), households
      FROM (SELECT piece, max(id) AS last_id, count(*) AS households
              FROM (SELECT id, (row_number() OVER (ORDER BY id) - 1) / listing_range_size() AS piece
                      FROM (SELECT id FROM households
                             WHERE of_user = '' AND firm_id = of_firm AND id > start_id AND id <= until
                             UNION ALL
                            SELECT DISTINCT household_id FROM account_access
                             WHERE of_user <> '' AND user_id = of_user AND firm_id = of_firm
                               AND household_id > start_id AND household_id <= until) AS listed) AS numbered
             GROUP BY piece) AS counted;
  END $$;

-- Adds to the counts of locked ranges: +1 for each entry that was added, -1 for each that was removed.
CREATE FUNCTION count_entries(added listing_entry[], removed listing_entry[]) RETURNS void LANGUAGE sql AS $$
  UPDATE listing_ranges r SET households = r.households + delta.households
    FROM (SELECT (entry).firm_id, (entry).user_id, range_of(entry) AS after_id, sum(n) AS households
            FROM (SELECT a AS entry, 1 AS n FROM unnest(added) a UNION ALL SELECT r, -1 FROM unnest(removed) r) AS change
           GROUP BY 1, 2, 3) AS delta
   WHERE (r.firm_id, r.user_id, r.after_id) = (delta.firm_id, delta.user_id, delta.after_id)
$$;

CREATE FUNCTION is_no_range(households integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS
  'SELECT households = 0 OR households > 2 * listing_range_size()';

CREATE FUNCTION settle_range() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM listing_ranges
     WHERE (firm_id, user_id, after_id) = (NEW.firm_id, NEW.user_id, NEW.after_id) AND is_no_range(households);
    IF FOUND THEN PERFORM count_range(NEW.firm_id, NEW.user_id, NEW.after_id);
    END IF;
    RETURN NULL;
  END $$;
-- Divides ranges that have grown too large, and removes empty ones. Deferred to the commit: a statement may fire several
-- triggers (an upsert, a MERGE), and the rows are counted anew only when all of them have counted.
CREATE CONSTRAINT TRIGGER settle_range AFTER INSERT OR UPDATE ON listing_ranges DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (is_no_range(NEW.households)) EXECUTE FUNCTION settle_range();

-- More changes than this in one statement are not added: their listings are counted anew, without other writers.
CREATE FUNCTION is_many(changes bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS
  'SELECT changes > listing_range_size()';

-- Replaces all ranges of these listings by one that is so large that it is counted at the commit.
CREATE FUNCTION count_anew(listings listing_entry[]) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    LOCK TABLE listing_ranges IN EXCLUSIVE MODE;
    DELETE FROM listing_ranges WHERE (firm_id, user_id) IN (SELECT l.firm_id, l.user_id FROM unnest(listings) l);
    INSERT INTO listing_ranges (firm_id, user_id, after_id, households)
    SELECT l.firm_id, l.user_id, '', 1000000000 FROM unnest(listings) l;
  END $$;

CREATE FUNCTION count_households() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    entries listing_entry[];
  BEGIN
    IF is_many((SELECT count(*) FROM changed)) THEN
      PERFORM count_anew(array_agg((firm_id, '', '')::listing_entry)) FROM (SELECT DISTINCT firm_id FROM changed) AS f;
    ELSIF EXISTS (SELECT FROM changed) THEN
      SELECT array_agg((firm_id, '', id)::listing_entry) INTO entries FROM changed;
      PERFORM lock_ranges(entries);
      IF TG_OP = 'INSERT' THEN PERFORM count_entries(entries, '{}');
      ELSE PERFORM count_entries('{}', entries);
      END IF;
    END IF;
    RETURN NULL;
  END $$;
CREATE TRIGGER count_new_households AFTER INSERT ON households
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_households();
CREATE TRIGGER count_deleted_households AFTER DELETE ON households
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_households();

CREATE FUNCTION count_moved_household() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    old_entry listing_entry := (OLD.firm_id, '', OLD.id);
    new_entry listing_entry := (NEW.firm_id, '', NEW.id);
  BEGIN
    PERFORM lock_ranges(ARRAY[old_entry, new_entry]);
    PERFORM count_entries(ARRAY[new_entry], ARRAY[old_entry]);
    RETURN NULL;
  END $$;
-- For each row, because only such a trigger costs nothing when the name changes alone.
CREATE TRIGGER count_moved_household AFTER UPDATE ON households
  FOR EACH ROW WHEN ((OLD.firm_id, OLD.id) <> (NEW.firm_id, NEW.id)) EXECUTE FUNCTION count_moved_household();

-- A user may have several access rows for a household, one for each account: only the first and the last one count. Another
-- transaction may write the others, so this looks for them when it has the range's lock.
CREATE FUNCTION count_access() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    most integer := listing_range_size() + 1;
    new_entries listing_entry[] := '{}';
    old_entries listing_entry[] := '{}';
    listings listing_entry[] := '{}';
    added listing_entry[];
    removed listing_entry[];
  BEGIN
    IF TG_OP <> 'DELETE' THEN
      new_entries := ARRAY(SELECT (firm_id, user_id, household_id)::listing_entry FROM new_rows LIMIT most);
      listings := listings || ARRAY(SELECT DISTINCT (firm_id, user_id, '')::listing_entry FROM new_rows);
    END IF;
    IF TG_OP <> 'INSERT' THEN
      old_entries := ARRAY(SELECT (firm_id, user_id, household_id)::listing_entry FROM old_rows LIMIT most);
      listings := listings || ARRAY(SELECT DISTINCT (firm_id, user_id, '')::listing_entry FROM old_rows);
    END IF;
    IF is_many(cardinality(new_entries || old_entries)) THEN
      PERFORM count_anew(ARRAY(SELECT DISTINCT unnest(listings)));
    ELSIF cardinality(listings) > 0 THEN
      PERFORM lock_ranges(new_entries || old_entries);
      WITH touched AS (
        SELECT firm_id, user_id, id, sum(is_new) AS new_rows, sum(1 - is_new) AS old_rows
          FROM (SELECT *, 1 AS is_new FROM unnest(new_entries) UNION ALL SELECT *, 0 FROM unnest(old_entries)) AS e
         GROUP BY firm_id, user_id, id
      ), counted AS (
        SELECT (firm_id, user_id, id)::listing_entry AS entry, new_rows, old_rows,
               (SELECT count(*) FROM account_access x
                 WHERE x.user_id = t.user_id AND x.household_id = t.id AND x.firm_id = t.firm_id) AS all_rows
          FROM touched t
      )
      SELECT coalesce(array_agg(entry) FILTER (WHERE all_rows > 0 AND all_rows = new_rows AND old_rows = 0), '{}'),
             coalesce(array_agg(entry) FILTER (WHERE all_rows = 0 AND old_rows > 0), '{}')
        INTO added, removed FROM counted;
      PERFORM count_entries(added, removed);
    END IF;
    RETURN NULL;
  END $$;
CREATE TRIGGER count_new_access AFTER INSERT ON account_access
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_access();
CREATE TRIGGER count_deleted_access AFTER DELETE ON account_access
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_access();
CREATE TRIGGER count_changed_access AFTER UPDATE ON account_access
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_access();

CREATE FUNCTION count_nothing() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM listing_ranges WHERE (user_id = '') = (TG_TABLE_NAME = 'households');
    RETURN NULL;
  END $$;
CREATE TRIGGER count_truncated_households AFTER TRUNCATE ON households EXECUTE FUNCTION count_nothing();
CREATE TRIGGER count_truncated_access AFTER TRUNCATE ON account_access EXECUTE FUNCTION count_nothing();

SELECT count_range(firm_id, '', '') FROM (SELECT DISTINCT firm_id FROM households) AS listing;
SELECT count_range(firm_id, user_id, '') FROM (SELECT DISTINCT firm_id, user_id FROM account_access) AS listing;
