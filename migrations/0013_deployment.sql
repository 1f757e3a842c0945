-- compatible
-- Which deployment this database belongs to. The row is written at first use; every program that is set to another
-- environment is refused from then on. `demo`: made by `latchkey demo`, which touches no other database.
CREATE TABLE deployment (
  only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'production')),
  demo        boolean NOT NULL DEFAULT false,
  created_at  timestamptz NOT NULL DEFAULT now()
);
