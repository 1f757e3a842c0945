-- compatible
-- Which LATCHKEY_SECRET was current, by its key id, and since when. A token of the previous secret that expires more than 31
-- days after the change is refused (docs/adr/0021). The key id names a secret and does not reveal it. auth_url is the address
-- of the server that used the secret last: in a copy of this database, it shows that the copy needs its own secret.
CREATE TABLE secrets (
  key_id        text PRIMARY KEY,
  current_since timestamptz NOT NULL,
  auth_url      text NOT NULL
);
