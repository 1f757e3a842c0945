-- breaking
-- The row of a connection is the only state of its tokens, and a token proves itself (docs/adr/0019). Existing connections
-- end: their tokens have no place in the new columns. Users connect their apps again; their grants stay.

DELETE FROM connections;
DROP TABLE access_tokens, refresh_tokens;

-- Both locators as SHA-256. They are set once, when the code is redeemed. A refresh changes only columns without an
-- index, so that PostgreSQL can write the new version of the row into the same page, without new index entries (HOT).
ALTER TABLE connections
  ADD COLUMN refresh_locator_hash   bytea UNIQUE,
  ADD COLUMN access_locator_hash    bytea UNIQUE,
  -- An access token is live only if one of these is its nonce.
  ADD COLUMN access_nonce           bytea,
  ADD COLUMN previous_access_nonce  bytea,
  ADD COLUMN access_nonce_at        timestamptz,
  -- The generation of the newest refresh token, and when it was issued.
  ADD COLUMN generation             integer,
  ADD COLUMN refreshed_at           timestamptz,
  -- Two moments, and the generation that was rotated at each: they tell how long ago an older token was rotated.
  ADD COLUMN mark_generation        integer,
  ADD COLUMN marked_at              timestamptz,
  ADD COLUMN earlier_generation     integer,
  ADD COLUMN earlier_at             timestamptz,
  -- Leaves space in each page for the next version of its rows.
  SET (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.05);

-- What an access token proves: the parameter of every statement that authenticates a call.
CREATE TYPE access_token AS (locator_hash bytea, nonce bytea, expires_at timestamptz);

ALTER TABLE partners ADD COLUMN id_token_on_refresh boolean NOT NULL DEFAULT false;

-- Set by `latchkey restore`: until then, a refresh token may be ahead of its row, because it was issued after the backup.
ALTER TABLE deployment ADD COLUMN accepts_tokens_ahead_until timestamptz;
