-- compatible
-- Webhooks: which addresses of a partner get events, the events, and the attempts to deliver them (docs/adr/0043).

CREATE TABLE webhook_endpoints (
  id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  client_id     text COLLATE "C" NOT NULL REFERENCES partners ON DELETE CASCADE,
  url           text NOT NULL,
  events        text[] NOT NULL CHECK (cardinality(events) > 0), -- the types that the endpoint gets: src/webhooks/event-types.ts
  description   text,
  status        text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  disabled_for  text CHECK (disabled_for IN ('failing', 'gone', 'partner', 'operator')),
  failing_since timestamptz,                                     -- the first failed attempt since the last delivery
  disabled_mail_at timestamptz,                                  -- the newest mail that it is disabled: at most one a day
  created_at    timestamptz NOT NULL DEFAULT now(),
  CHECK ((status = 'disabled') = (disabled_for IS NOT NULL))
);
CREATE INDEX webhook_endpoints_of_partner ON webhook_endpoints (client_id, created_at);

-- Counts for a limit. Volatile: it also sees what was added while the caller waited for the lock on the partner.
CREATE FUNCTION endpoints_of(partner text) RETURNS bigint LANGUAGE sql VOLATILE
  BEGIN ATOMIC
    SELECT count(*) FROM webhook_endpoints WHERE client_id = partner;
  END;

-- What signs the deliveries. During a rotation both secrets sign.
CREATE TABLE webhook_secrets (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  kind        text NOT NULL CHECK (kind IN ('hmac', 'ed25519')),
  sealed      text NOT NULL,                                     -- the secret or private key, encrypted under a derived key
  public_key  bytea,                                             -- of ed25519
  created_at  timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz                                        -- null: the newest one
);
CREATE INDEX webhook_secrets_of_endpoint ON webhook_secrets (endpoint_id);
CREATE INDEX webhook_secrets_by_end ON webhook_secrets (expires_at);

-- Events for an endpoint. The statement that makes the change writes the row (0036), and the row is the queue.
CREATE TABLE webhook_messages (
  id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),    -- `webhook-id`, the same in every attempt
  place           bigint GENERATED ALWAYS AS IDENTITY,           -- messages of a grant are delivered in this order
  endpoint_id     uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  type            text NOT NULL,
  grant_id        bigint,                                        -- null: the message has no order. No foreign key: grants are deleted
  data            jsonb NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  attempts        integer NOT NULL DEFAULT 0,                    -- that have begun; the number of the newest one
  failures        integer NOT NULL DEFAULT 0,                    -- since it was written or sent again: its place in the schedule
  next_attempt_at timestamptz DEFAULT now(),                     -- during an attempt: when its lease ends. Null: it is finished
  due_since       timestamptz NOT NULL DEFAULT now(),            -- when it was written or sent again
  outcome         text CHECK (outcome IN ('delivered', 'given_up')),
  finished_at     timestamptz,
  CHECK ((next_attempt_at IS NULL) = (outcome IS NOT NULL) AND (outcome IS NULL) = (finished_at IS NULL))
);
CREATE INDEX webhook_messages_due ON webhook_messages (endpoint_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_messages_in_order ON webhook_messages (endpoint_id, grant_id, place) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_messages_of_endpoint ON webhook_messages (endpoint_id, created_at, place);
CREATE INDEX webhook_messages_by_age ON webhook_messages ((coalesce(finished_at, due_since)));

CREATE TABLE webhook_attempts (
  message_id  uuid NOT NULL REFERENCES webhook_messages ON DELETE CASCADE,
  number      integer NOT NULL,
  at          timestamptz NOT NULL DEFAULT now(),                -- when it ended
  duration_ms integer NOT NULL,
  status      integer,                                           -- of the answer; null: there was none
  fault       text,                                              -- why the attempt failed; null: delivered
  response    text,                                              -- the beginning of the answer
  PRIMARY KEY (message_id, number)
);

-- Writes an event for each endpoint of the partner that gets this type. The triggers of 0036 call it.
CREATE FUNCTION write_event(partner text, type_of_event text, of_grant bigint, facts jsonb) RETURNS void LANGUAGE sql
  BEGIN ATOMIC
    INSERT INTO webhook_messages (endpoint_id, type, grant_id, data)
    SELECT e.id, type_of_event, of_grant, facts FROM webhook_endpoints e
     WHERE e.client_id = partner AND type_of_event = ANY (e.events);
  END;
