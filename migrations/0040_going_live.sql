-- compatible
-- Requests of sandboxes that were opened in production (docs/adr/0048). Each created a partner. Rows are never deleted: there are
-- as many as partners. Empty in a sandbox.
CREATE TABLE going_live_requests (
  jti               uuid PRIMARY KEY,
  client_id         text COLLATE "C" NOT NULL, -- no foreign key: the partner may be deleted, and the request stays used
  sandbox           text NOT NULL,             -- its address
  sandbox_client_id text COLLATE "C" NOT NULL,
  opened_at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX going_live_requests_of_application ON going_live_requests (sandbox, sandbox_client_id);

-- A partner that went live has no secret until one of its developers makes it: no operator ever sees one.
ALTER TABLE partners DROP CONSTRAINT partners_can_authenticate;
