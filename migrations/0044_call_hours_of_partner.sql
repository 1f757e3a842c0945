-- compatible
-- Developers look at the calls of their application: without it, each page would read the hours of all partners.
CREATE INDEX call_hours_of_partner ON call_hours (client_id, hour);
