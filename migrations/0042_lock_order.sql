-- compatible
-- A statement that ends a connection locks the connection, then its grant (0036). Deleting a user locks the grant first, by
-- cascades: both at once could deadlock. Therefore a deletion locks the connections first. No connection can be added meanwhile:
-- the user is locked already, and the statement that adds one locks the user before (FOR SHARE).

CREATE FUNCTION lock_connections_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM grants g JOIN connections c ON c.grant_id = g.id
      WHERE g.user_id = OLD.id ORDER BY g.id, c.id FOR UPDATE OF c;
    RETURN OLD;
  END $$;
CREATE TRIGGER lock_connections BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION lock_connections_of_user();
