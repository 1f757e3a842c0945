-- compatible
-- What happened to a token is told: a revoked access token from an expired one, and a grant that ended because the user
-- moved to another firm from one that the operator ended. A server of the version before goes on working: revoking also
-- moves `expires_at` to now, and a grant that ends for its firm is `revoked_by` the operator.

ALTER TABLE access_tokens ADD COLUMN revoked_at timestamptz;

ALTER TABLE grants ADD COLUMN revoked_for text CHECK (revoked_for IN ('firm_changed'));
