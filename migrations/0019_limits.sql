-- compatible
-- Limits that the operator has set for a partner (docs/adr/0025). Absent: the default of the deployment.
ALTER TABLE partners ADD COLUMN limits jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(limits) = 'object');

-- What all servers together have used of each quota in each minute: requests that were admitted, and leases that servers
-- hold. Unlogged: after a crash the counts begin again at zero, and a lease costs no flush of the WAL.
CREATE UNLOGGED TABLE limit_windows (
  window_at timestamptz NOT NULL, -- the start of the minute
  key       text NOT NULL, -- policy and partner, with the user or the connection where the quota is for one
  most      integer NOT NULL, -- how much all leases of this window may add up to
  used      integer NOT NULL,
  granted   integer NOT NULL, -- the latest lease
  PRIMARY KEY (window_at, key)
);

-- Expensive reads of a partner that run or wait on any server. One entry for each read: the instant until which it counts
-- if its server dies.
CREATE UNLOGGED TABLE expensive_reads (
  client_id text PRIMARY KEY,
  counts_until timestamptz[] NOT NULL
);
