-- compatible
-- Changes of the directory by API (docs/adr/0038).

-- Who changed the row last: 'import', 'api', 'operator' (a command) or 'login' (a first login through an identity provider). Null:
-- before this migration, or a program that writes the tables itself.
ALTER TABLE firms ADD COLUMN source text;
ALTER TABLE roles ADD COLUMN source text;
ALTER TABLE users ADD COLUMN source text;
ALTER TABLE households ADD COLUMN source text;
ALTER TABLE accounts ADD COLUMN source text;
ALTER TABLE account_access ADD COLUMN source text;

-- Each change looks for the latest instant.
CREATE INDEX users_by_sees_since ON users (sees_since);
