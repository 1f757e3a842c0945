-- compatible
-- A killed server that starts again ends its leases: its interrupted attempts are repeated at once (src/webhooks/queue.sql.ts).
ALTER TABLE webhook_messages ADD COLUMN taken_by text; -- the server with an attempt in progress
CREATE INDEX webhook_messages_taken ON webhook_messages (taken_by) WHERE taken_by IS NOT NULL;
