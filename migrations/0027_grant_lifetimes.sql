-- breaking
-- Consents with a life (docs/adr/0035). An older server would accept the tokens of a consent that has expired.

-- Days for which a user's consent for this partner is valid. Null: the default of the deployment.
ALTER TABLE partners ADD COLUMN grant_lifetime_days integer CHECK (grant_lifetime_days BETWEEN 1 AND 3650);

ALTER TABLE grants
  ADD COLUMN expires_at    timestamptz, -- null: the consent has no end
  ADD COLUMN end_notice_at timestamptz; -- when the user gets a mail about the end; null: no mail, or it is written
CREATE INDEX grants_by_end_notice ON grants (end_notice_at) WHERE end_notice_at IS NOT NULL AND revoked_at IS NULL;
