-- compatible
-- Which LATCHKEY_SECRET was current, by its key id, and since when. A token of the previous secret that expires more than 31
-- days after the change is refused (docs/adr/0021). The key id names a secret and does not reveal it.
CREATE TABLE secrets (
  key_id        text PRIMARY KEY,
  current_since timestamptz NOT NULL
);
