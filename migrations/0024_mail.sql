-- compatible
-- Mails, and links with which users set a password (docs/adr/0032).

-- Messages that the statement which makes a change writes, and that a server delivers afterwards.
CREATE TABLE outbox (
  id              uuid PRIMARY KEY DEFAULT gen_random_uuid(), -- the same in every attempt: receivers recognise a repetition
  place           bigint GENERATED ALWAYS AS IDENTITY,
  kind            text NOT NULL,                              -- which worker delivers it
  order_key       text COLLATE "C",                           -- messages of one key: one after the other, in the order of `place`
  payload         jsonb NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  expires_at      timestamptz NOT NULL,                       -- from then on it is deleted, not delivered
  attempts        integer NOT NULL DEFAULT 0,                 -- that have begun
  next_attempt_at timestamptz NOT NULL DEFAULT now()          -- during an attempt: when its lease ends
);
CREATE INDEX outbox_due ON outbox (kind, next_attempt_at);
CREATE INDEX outbox_order ON outbox (kind, order_key, place) WHERE order_key IS NOT NULL;
CREATE INDEX outbox_by_expiry ON outbox (expires_at);

-- The link with which a user may set a password: at most one for each user, the newest.
CREATE TABLE password_links (
  user_id       text COLLATE "C" PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  hash          bytea NOT NULL UNIQUE, -- SHA-256 of the secret in the link
  login_version uuid NOT NULL,         -- of the user, when the link was made: a change of the credentials ends the link
  expires_at    timestamptz NOT NULL
);
CREATE INDEX password_links_by_expiry ON password_links (expires_at);

-- The language of the page on which the user last logged in, for mails. Not a column of `users`: an import locks that table,
-- and logins would wait for its end.
CREATE TABLE user_languages (
  user_id  text COLLATE "C" PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  language text NOT NULL
);
