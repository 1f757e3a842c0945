-- compatible
-- The platform's own data: firms, roles, users, households, accounts, account access.
-- Ids are the platform's. "C" is byte order, which is the order of every listing (contract 4.3, docs/decisions.md).

CREATE TABLE firms (
  id   text COLLATE "C" PRIMARY KEY,
  name text NOT NULL
);

CREATE TABLE roles (
  name text COLLATE "C" PRIMARY KEY,
  sees text NOT NULL CHECK (sees IN ('firm', 'granted'))
);

CREATE TABLE users (
  id            text COLLATE "C" PRIMARY KEY,
  firm_id       text COLLATE "C" NOT NULL REFERENCES firms,
  email         text NOT NULL,
  email_folded  text COLLATE "C" NOT NULL UNIQUE, -- as folded by the server, so that it means the same everywhere
  name          text NOT NULL,
  role          text COLLATE "C" NOT NULL REFERENCES roles,
  status        text NOT NULL CHECK (status IN ('active', 'disabled')),
  password_hash text                              -- argon2id; absent: this user cannot log in
);

CREATE TABLE households (
  id          text COLLATE "C" PRIMARY KEY,
  firm_id     text COLLATE "C" NOT NULL REFERENCES firms,
  name        text,
  name_folded text COLLATE "C"                    -- what name_pattern is looked for in
);
CREATE INDEX households_of_firm ON households (firm_id, id);

CREATE TABLE accounts (
  id            text COLLATE "C" PRIMARY KEY,
  household_id  text COLLATE "C" NOT NULL REFERENCES households,
  name          text,
  type          text,
  number_masked text,
  custodian     text,
  currency      text,
  status        text NOT NULL,
  opened_on     date
);
CREATE INDEX accounts_of_household ON accounts (household_id, id);

CREATE TABLE account_access (
  user_id    text COLLATE "C" NOT NULL REFERENCES users,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts,
  PRIMARY KEY (user_id, account_id)
);
CREATE INDEX account_access_of_account ON account_access (account_id);
