-- compatible
-- The read log: which households each grant has read, on which day. The request log: the calls of the last days (docs/adr/0039).

-- Sets of numbers are stored as ranges. Numbers are given in the order in which households are first read, which is nearly the
-- order of the listing: a partner that reads all households of a firm leaves a few ranges. A number is never used again.
CREATE TABLE household_numbers (
  number       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  household_id text COLLATE "C" NOT NULL UNIQUE
);

-- Who a grant of the read log belongs to. It outlives the grant, the user and the partner.
CREATE TABLE read_log_grants (
  grant_id     bigint PRIMARY KEY,
  user_id      text COLLATE "C" NOT NULL, -- a pseudonym after the user is erased
  client_id    text COLLATE "C" NOT NULL,
  partner_name text NOT NULL
);
CREATE INDEX read_log_grants_of_user ON read_log_grants (user_id);
CREATE INDEX read_log_grants_of_partner ON read_log_grants (client_id);

-- On this day (UTC), the grant read each of these households so many times. Rows of the same grant and day add up. The server
-- adds a row every few seconds; a job merges them.
CREATE TABLE read_log (
  grant_id   bigint NOT NULL,
  day        date NOT NULL,
  reads      integer NOT NULL,
  households int4multirange NOT NULL,
  merged     boolean NOT NULL
);
CREATE INDEX read_log_of_grant ON read_log (grant_id, day);
CREATE INDEX read_log_of_household ON read_log USING gist (households);
CREATE INDEX read_log_to_merge ON read_log (grant_id, day) WHERE NOT merged;
CREATE INDEX read_log_by_age ON read_log (day);

-- How many numbers a set has.
CREATE FUNCTION set_size(numbers int4multirange) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  'SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest(numbers) r';

-- What calls have in common. It has a few hundred rows, and no data of persons.
CREATE TABLE request_kinds (
  id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  method        text NOT NULL,
  route         text NOT NULL,    -- empty: no route, the address is unknown
  status        smallint NOT NULL,
  code          text NOT NULL,    -- of the error; empty: none
  outcome       text NOT NULL,    -- the reason, as in the log; empty: none
  authenticated boolean NOT NULL, -- false: the caller has not proved who it is
  UNIQUE (method, route, status, code, outcome, authenticated)
);

-- Never has addresses, bodies, tokens, secrets or values of a query.
CREATE TABLE request_log (
  at         timestamptz NOT NULL, -- when the answer was sent, by the server's clock
  grant_id   bigint,               -- names user and partner, as long as they exist
  kind_id    integer NOT NULL,
  ms         real NOT NULL,
  status     smallint NOT NULL,
  request_id text NOT NULL,        -- chosen by the caller
  client_id  text COLLATE "C",     -- if no grant is known
  detail     text                  -- of an error
) PARTITION BY RANGE (at);
CREATE TABLE request_log_default PARTITION OF request_log DEFAULT; -- a missing partition must not lose calls
-- By a digest: a flood of equal ids makes long lists of equal keys, which a B-tree stores compactly and a hash index does not.
CREATE INDEX request_log_by_id ON request_log (hashtextextended(request_id, 0));
CREATE INDEX request_log_of_grant ON request_log (grant_id, at) WHERE grant_id IS NOT NULL;
CREATE INDEX request_log_of_partner ON request_log (client_id, at) WHERE client_id IS NOT NULL;
CREATE INDEX request_log_refused ON request_log (at) WHERE status >= 400;

-- Makes the partitions of the next days, and removes those older than `days`. Runs with the rights of the owner, because the
-- server may have no right to create tables. It waits half a second at most for its locks: calls would wait behind it.
CREATE FUNCTION keep_request_log(days integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '500ms' AS $$
  DECLARE
    today date := (now() AT TIME ZONE 'UTC')::date;
    day date;
    name text;
    removed integer := 0;
  BEGIN
    FOR day IN SELECT today + n FROM generate_series(0, 3) n LOOP
      name := 'request_log_' || to_char(day, 'YYYYMMDD');
      CONTINUE WHEN to_regclass(name) IS NOT NULL;
      BEGIN
        EXECUTE format('CREATE TABLE %I PARTITION OF request_log FOR VALUES FROM (%L) TO (%L)', name,
                       day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
      EXCEPTION WHEN check_violation THEN NULL; -- the default partition has calls of this day, and keeps it
      END;
    END LOOP;
    FOR name IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                 WHERE i.inhparent = 'request_log'::regclass AND c.relname ~ '^request_log_[0-9]{8}$'
                   AND c.relname < 'request_log_' || to_char(today - days, 'YYYYMMDD') LOOP
      EXECUTE format('DROP TABLE %I', name);
      removed := removed + 1;
    END LOOP;
    DELETE FROM request_log_default WHERE at < (today - days)::timestamp AT TIME ZONE 'UTC';
    RETURN removed;
  END $$;

-- Temporary tables come last: otherwise those of the caller, with their triggers, would be used with the rights of the owner.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION keep_request_log SET search_path = %I, pg_temp', current_schema());
END $$;
