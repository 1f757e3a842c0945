-- breaking
-- Signing keys come in generations. Whoever makes the next one says which it is to be, so of several servers that make
-- it at once one succeeds. A retired key loses its private half and stays, for id_tokens that it signed (docs/adr/0009).

ALTER TABLE signing_keys
  ADD COLUMN generation integer,
  ADD COLUMN signs_from timestamptz,
  ALTER COLUMN private_jwk DROP NOT NULL;

UPDATE signing_keys k SET signs_from = k.created_at, generation = made.place
  FROM (SELECT kid, row_number() OVER (PARTITION BY algorithm ORDER BY created_at, kid) AS place FROM signing_keys) AS made
 WHERE made.kid = k.kid;

ALTER TABLE signing_keys
  ALTER COLUMN generation SET NOT NULL,
  ALTER COLUMN signs_from SET NOT NULL,
  ADD CONSTRAINT signing_keys_algorithm_check CHECK (algorithm IN ('RS256', 'ES256')),
  ADD CONSTRAINT one_key_a_generation UNIQUE (algorithm, generation);
