-- compatible
-- Checks all rows for the constraint of 0033. In a transaction of its own, because 0033 locks the table.

ALTER TABLE connections VALIDATE CONSTRAINT connections_revoked_for_check;
