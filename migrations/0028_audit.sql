-- compatible
-- The audit log (docs/adr/0036): who changed what, from where, and when.

-- A row is written by the statement or transaction that makes the change, and never changed afterwards.
CREATE TABLE audit_log (
  id          bigint GENERATED ALWAYS AS IDENTITY,
  at          timestamptz NOT NULL DEFAULT now(),
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(), -- rows are chained in this order, when all earlier ones have ended
  event       text NOT NULL,                              -- 'partner.created'
  actor_kind  text NOT NULL,                              -- who did it: src/audit/origin.ts
  actor_id    text,                                       -- null: unknown, for example a failed login
  actor_name  text,
  via         text NOT NULL,                              -- the door: 'cli', 'admin_api', 'console', 'page', 'api', 'job'
  address     text,                                       -- the IP address of the request
  user_agent  text,
  request_id  text,
  target_kind text NOT NULL,                              -- what was changed: 'partner', 'user', 'grant' …
  target_id   text NOT NULL,
  firm_id     text,                                       -- whom it is about, for searches
  user_id     text,
  client_id   text,
  details     jsonb NOT NULL DEFAULT '{}',                -- before and after, cause, counts. Never secrets.
  PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);

CREATE TABLE audit_log_default PARTITION OF audit_log DEFAULT; -- a missing partition must not refuse a change

CREATE INDEX audit_by_transaction ON audit_log (transaction, id);
CREATE INDEX audit_by_target ON audit_log (target_kind, target_id, at);
CREATE INDEX audit_by_user ON audit_log (user_id, at) WHERE user_id IS NOT NULL;
CREATE INDEX audit_by_client ON audit_log (client_id, at) WHERE client_id IS NOT NULL;
CREATE INDEX audit_by_actor ON audit_log (actor_kind, actor_id, at);
CREATE INDEX audit_by_request ON audit_log (request_id) WHERE request_id IS NOT NULL;

-- The order of the rows, with a hash of each row and all rows before it. Servers only insert. Rows are chained after every
-- earlier transaction has ended, so no row can come late.
CREATE TABLE audit_chain (
  place     bigint PRIMARY KEY,         -- 1, 2, 3 … without gaps
  audit_at  timestamptz NOT NULL,
  audit_id  bigint NOT NULL UNIQUE,
  hash      bytea NOT NULL,             -- SHA-256 of the hash before it and the row: src/audit/chain-hash.ts
  looked_to xid8 NOT NULL               -- all rows of earlier transactions are chained
);

-- Signed hashes of the chain. The database does not have the key.
CREATE TABLE audit_checkpoints (
  number    bigint PRIMARY KEY,         -- 1, 2, 3 … without gaps
  place     bigint NOT NULL,
  hash      bytea NOT NULL,
  at        timestamptz NOT NULL,
  key_id    text NOT NULL,              -- names the secret that the key is derived from
  signature bytea NOT NULL              -- Ed25519
);

CREATE INDEX audit_checkpoints_by_place ON audit_checkpoints (place);

-- The fields of `one` that are absent from `other` or differ there. Null: none.
CREATE FUNCTION differing_fields(one jsonb, other jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (SELECT jsonb_object_agg(key, value) FROM jsonb_each(one) WHERE other->key IS DISTINCT FROM value);

-- Makes the partitions of this month and the next two, and removes the rows of months that ended more than `months` months ago;
-- 0: none. `removal` is what the server has signed (src/audit/removals.ts): the time, and the places of the rows in the chain. A row
-- at another place, or one that is not chained, keeps all. Hashes stay. Runs with the rights of the owner, because the server may
-- only insert. It waits half a second at most for its locks: changes would wait behind it.
CREATE FUNCTION keep_audit_log(months integer, removal jsonb) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '500ms' AS $$
  DECLARE
    this_month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
    bound timestamptz := (this_month - make_interval(months => months)) AT TIME ZONE 'UTC';
    month timestamp;
    name text;
    removed bigint;
  BEGIN
    FOR month IN SELECT this_month + make_interval(months => n) FROM generate_series(0, 2) n LOOP
      name := 'audit_log_' || to_char(month, 'YYYYMM');
      CONTINUE WHEN to_regclass(name) IS NOT NULL;
      BEGIN
        EXECUTE format('CREATE TABLE %I PARTITION OF audit_log FOR VALUES FROM (%L) TO (%L)', name,
                       month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
      EXCEPTION WHEN check_violation THEN NULL; -- the default partition has rows of this month, and keeps them
      END;
    END LOOP;
    IF months = 0 OR removal IS NULL THEN RETURN 0; END IF;
    IF months < 12 THEN RAISE 'the audit log is kept for 12 months or more'; END IF;
    IF removal->>'before' IS DISTINCT FROM to_char(bound AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
       OR EXISTS (SELECT FROM audit_log a LEFT JOIN audit_chain c ON c.audit_id = a.id AND c.audit_at = a.at
                   WHERE a.at < bound AND (c.place <@ (removal->>'places')::int8multirange) IS NOT TRUE) THEN RETURN 0; END IF;
    SELECT count(*) INTO removed FROM audit_log WHERE at < bound;
    FOR name IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                 WHERE i.inhparent = 'audit_log'::regclass AND c.relname ~ '^audit_log_[0-9]{6}$'
                   AND c.relname < 'audit_log_' || to_char(bound AT TIME ZONE 'UTC', 'YYYYMM') LOOP
      EXECUTE format('DROP TABLE %I', name);
    END LOOP;
    DELETE FROM audit_log_default WHERE at < bound;
    INSERT INTO audit_log (event, actor_kind, via, target_kind, target_id, details)
    VALUES ('audit.partition_dropped', 'system', 'job', 'audit', 'log',
            removal || jsonb_build_object('rows', removed));
    RETURN removed;
  END $$;

-- Temporary tables come last: otherwise those of the caller, with their triggers, would be used with the rights of the owner.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION keep_audit_log SET search_path = %I, pg_temp', current_schema());
END $$;

SELECT keep_audit_log(0, NULL);
