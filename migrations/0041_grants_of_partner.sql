-- compatible
-- The developer pages list the grants of a partner, the newest first, and its calls by their grants.

CREATE INDEX grants_of_partner ON grants (client_id, id);
