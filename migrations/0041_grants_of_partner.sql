-- compatible
-- The developer pages list the grants of a partner, the newest first, and its calls by their grants.

CREATE INDEX grants_of_partner ON grants (client_id, id);

-- And its refused calls, which are few, without its other calls. The condition is not that of request_log_refused: for a list of one
-- partner, PostgreSQL could otherwise choose that index, which has the calls of strangers.
CREATE INDEX request_log_refused_of_grant ON request_log (grant_id, at) WHERE status / 100 >= 4 AND grant_id IS NOT NULL;
CREATE INDEX request_log_refused_of_partner ON request_log (client_id, at) WHERE status / 100 >= 4 AND client_id IS NOT NULL;
