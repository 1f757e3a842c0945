-- compatible
-- What writes the events of webhooks (docs/adr/0044). A grant or a connection ends through many statements. Triggers on the rows
-- see all of them, in the transaction of the change, and in the order in which the transactions get the lock of the grant.

CREATE FUNCTION event_instant(at timestamptz) RETURNS text LANGUAGE sql STABLE
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

CREATE FUNCTION gets_event(partner text, type_of_event text) RETURNS boolean LANGUAGE sql STABLE
  RETURN EXISTS (SELECT FROM webhook_endpoints e WHERE e.client_id = partner AND type_of_event = ANY (e.events));

-- What every event of a grant says.
CREATE FUNCTION facts_of_grant(of_grant grants) RETURNS jsonb LANGUAGE sql IMMUTABLE
  RETURN jsonb_build_object('grant_id', of_grant.id::text, 'subject', of_grant.subject);

CREATE FUNCTION tell_grant_created() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM write_event(NEW.client_id, 'grant.created', NEW.id, facts_of_grant(NEW) || jsonb_build_object(
      'created_at', event_instant(NEW.created_at), 'expires_at', event_instant(NEW.expires_at)));
    RETURN NULL;
  END $$;
CREATE TRIGGER tell_grant_created AFTER INSERT ON grants
  FOR EACH ROW WHEN (NEW.revoked_at IS NULL) EXECUTE FUNCTION tell_grant_created();

-- A grant that has expired ended then, even if the row is closed later and by something else (docs/adr/0035).
CREATE FUNCTION tell_grant_revoked() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    is_deleted boolean := TG_OP = 'DELETE';
    has_expired boolean := OLD.expires_at <= CASE WHEN TG_OP = 'DELETE' THEN now() ELSE NEW.revoked_at END;
  BEGIN
    -- If the user is still there, the partner was deleted, and with it its endpoints.
    IF is_deleted AND EXISTS (SELECT FROM users WHERE id = OLD.user_id) THEN RETURN NULL; END IF;
    PERFORM write_event(OLD.client_id, 'grant.revoked', OLD.id, facts_of_grant(OLD) || CASE
      WHEN has_expired THEN jsonb_build_object('by', 'expiry', 'reason', 'expired', 'ended_at', event_instant(OLD.expires_at))
      WHEN is_deleted THEN jsonb_build_object('by', 'operator', 'reason', 'user_deleted', 'ended_at', event_instant(now()))
      ELSE jsonb_build_object(
        'by', CASE NEW.revoked_by WHEN 'user' THEN 'user' ELSE 'operator' END,
        'reason', coalesce(NEW.revoked_for, CASE NEW.revoked_by WHEN 'user' THEN 'disconnected' ELSE 'revoked' END),
        'ended_at', event_instant(NEW.revoked_at)) END);
    RETURN NULL;
  END $$;
CREATE TRIGGER tell_grant_revoked AFTER UPDATE OF revoked_at ON grants
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION tell_grant_revoked();
CREATE TRIGGER tell_grant_deleted AFTER DELETE ON grants
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL) EXECUTE FUNCTION tell_grant_revoked();

-- When the newest refresh token expired, set by the purge. It deletes the row some days later.
ALTER TABLE connections ADD COLUMN expired_at timestamptz;

-- The lock makes this transaction and one that ends the grant wait for each other: nothing follows the end of a grant. Without
-- tokens, and with a code that has expired, nothing has ended for the partner.
CREATE FUNCTION write_connection_end(ended connections, cause text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    of_grant grants;
  BEGIN
    IF gets_event(ended.client_id, 'connection.ended') AND (ended.refreshed_at IS NOT NULL OR ended.code_expires_at > now()) THEN
      SELECT * INTO of_grant FROM grants
       WHERE id = ended.grant_id AND revoked_at IS NULL AND coalesce(expires_at > now(), true) FOR NO KEY UPDATE;
      IF FOUND THEN
        PERFORM write_event(ended.client_id, 'connection.ended', ended.grant_id, facts_of_grant(of_grant) || jsonb_build_object(
          'connection_id', ended.id::text, 'connected_at', event_instant(ended.created_at), 'cause', cause,
          'ended_at', event_instant(coalesce(ended.revoked_at, ended.expired_at, now()))));
      END IF;
    END IF;
  END $$;

-- The causes are those of the errors (src/grants/ended.sql.ts). Without a recorded cause, the operator ended all connections.
CREATE FUNCTION tell_connection_ended() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM write_connection_end(NEW, CASE
      WHEN NEW.revoked_at IS NULL THEN 'expired'
      ELSE CASE NEW.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
        WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay'
        WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended_by_operator' END END);
    RETURN NULL;
  END $$;
CREATE TRIGGER tell_connection_ended AFTER UPDATE OF revoked_at, expired_at ON connections
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND OLD.expired_at IS NULL AND (NEW.revoked_at IS NOT NULL OR NEW.expired_at IS NOT NULL))
  EXECUTE FUNCTION tell_connection_ended();

-- The grants and connections stay, and work again if the user is enabled.
CREATE FUNCTION tell_user_disabled() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    connection connections;
  BEGIN
    FOR connection IN
      SELECT c.* FROM grants g JOIN connections c ON c.grant_id = g.id
       WHERE g.user_id = NEW.id AND g.revoked_at IS NULL AND c.revoked_at IS NULL AND c.expired_at IS NULL
         AND gets_event(g.client_id, 'connection.ended')
       ORDER BY g.id, c.id
    LOOP
      PERFORM write_connection_end(connection, 'user_disabled');
    END LOOP;
    RETURN NULL;
  END $$;
CREATE TRIGGER tell_user_disabled AFTER UPDATE OF status ON users
  FOR EACH ROW WHEN (OLD.status = 'active' AND NEW.status <> 'active') EXECUTE FUNCTION tell_user_disabled();

CREATE FUNCTION tell_secrets_changed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM write_event(NEW.client_id, 'partner.secret_rotated', NULL, jsonb_build_object(
      'client_id', NEW.client_id,
      'reason', CASE WHEN NEW.leaked_secret_hashes <> OLD.leaked_secret_hashes THEN 'leaked'
                     WHEN NEW.secret_hashes <@ OLD.secret_hashes THEN 'removed' ELSE 'rotated' END,
      'live_secrets', cardinality(NEW.secret_hashes)));
    RETURN NULL;
  END $$;
CREATE TRIGGER tell_secrets_changed AFTER UPDATE OF secret_hashes ON partners
  FOR EACH ROW WHEN (OLD.secret_hashes <> NEW.secret_hashes) EXECUTE FUNCTION tell_secrets_changed();

-- Finds the consents that have expired and whose row is not closed yet.
CREATE INDEX grants_by_end ON grants (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

-- An endpoint gets events about changes of households that are committed after it was added. They have later instants, because
-- imports wait for each other (docs/adr/0014).
CREATE FUNCTION latest_change() RETURNS timestamptz LANGUAGE sql STABLE
  BEGIN ATOMIC
    SELECT coalesce(max(changed_at), '-infinity') FROM firms;
  END;
ALTER TABLE webhook_endpoints ADD COLUMN tells_after timestamptz NOT NULL DEFAULT latest_change();

-- Up to which instant the partners were told what changed for the users of a firm. While `until_at` is set, they are being told
-- what changed between the two instants, user by user in the order of the ids.
CREATE TABLE firm_notices (
  firm_id    text COLLATE "C" PRIMARY KEY REFERENCES firms ON DELETE CASCADE,
  told_at    timestamptz NOT NULL DEFAULT '-infinity',
  until_at   timestamptz,
  after_user text COLLATE "C" NOT NULL DEFAULT ''
);
CREATE INDEX firm_notices_begun ON firm_notices (until_at) WHERE until_at IS NOT NULL;
CREATE INDEX users_of_firm ON users (firm_id, id);
