-- breaking
-- The listing out of indexes alone. `json` is the household as the API answers it: a page is these texts, joined.
-- `name_searched` is the folded name, empty where there is none and null where it is long. An index tuple has 2,704 bytes
-- at most: `json` alone fits, since the import bounds it (checkHouseholdName), both would not.
ALTER TABLE households
  ADD COLUMN json text COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (json_strip_nulls(json_object(ARRAY['id', id, 'name', name]))::text) STORED,
  ADD COLUMN name_searched text COLLATE "C"
    GENERATED ALWAYS AS (
      CASE WHEN name_folded IS NULL THEN '' WHEN octet_length(name_folded) <= 250 THEN name_folded END) STORED;
DROP INDEX households_of_firm;
CREATE INDEX households_listed ON households (firm_id, id) INCLUDE (json, name_searched);

-- What a name is found by: for each of its characters, that one and the two that follow, as a lexeme behind the firm's
-- id. Every text of three characters in the name is such a lexeme, every shorter one the beginning of one. Unlike
-- pg_trgm it knows nothing of words, so punctuation counts, and means the same under every locale. U+FFFF parts them.
CREATE FUNCTION name_grams(firm_id text, name_folded text) RETURNS tsvector
  LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT array_to_tsvector(array_remove(string_to_array(
             regexp_replace(n, '.{1,3}', prefix, 'g')
               || regexp_replace(substr(n, 2), '.{1,3}', prefix, 'g')
               || regexp_replace(substr(n, 3), '.{1,3}', prefix, 'g'), U&'\FFFF'), ''))
      FROM (SELECT translate(name_folded, U&'\FFFF', U&'\FFFD') AS n, U&'\FFFF' || firm_id || '|\&' AS prefix) AS parts
  $$;
CREATE INDEX households_by_grams ON households USING gin (name_grams(firm_id, name_folded));

-- Access by household: what a user may see is read in the order of the ids, without a look at the accounts. The foreign
-- key holds the household to the account's, and moves with it.
ALTER TABLE account_access ADD COLUMN household_id text COLLATE "C";
UPDATE account_access x SET household_id = a.household_id FROM accounts a WHERE a.id = x.account_id;
DROP INDEX accounts_of_household;
ALTER TABLE accounts ADD CONSTRAINT accounts_of_household UNIQUE (household_id, id);
ALTER TABLE account_access
  ALTER COLUMN household_id SET NOT NULL,
  DROP CONSTRAINT account_access_account_id_fkey,
  DROP CONSTRAINT account_access_pkey,
  ADD PRIMARY KEY (user_id, household_id, account_id),
  ADD CONSTRAINT account_access_account_fkey
    FOREIGN KEY (household_id, account_id) REFERENCES accounts (household_id, id) ON UPDATE CASCADE;
