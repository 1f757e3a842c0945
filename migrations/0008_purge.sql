-- compatible
-- The primary key begins with the grant, and the purge asks for days.
CREATE INDEX grant_reads_by_day ON grant_reads (day);
