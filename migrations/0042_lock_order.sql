-- compatible
-- What ends a connection locks its row, and then its grant to write the event (0036). Deleting a user reaches the same rows by
-- cascades, the grant first: both at once would be a deadlock. Therefore a deletion locks the connections before anything else
-- of the user. PostgreSQL has locked the user then, so that no new connection comes in between.

CREATE FUNCTION lock_connections_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM grants g JOIN connections c ON c.grant_id = g.id
      WHERE g.user_id = OLD.id ORDER BY g.id, c.id FOR UPDATE OF c;
    RETURN OLD;
  END $$;
CREATE TRIGGER lock_connections BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION lock_connections_of_user();
