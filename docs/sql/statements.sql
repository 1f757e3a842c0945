-- Every statement as PostgreSQL gets it. Written by `npm run sql`; do not edit.

-- add_call_hours
WITH added AS (
  SELECT hour::timestamptz, kind, client_id, calls::bigint, refused::bigint, failed::bigint, refresh_refused::bigint,
  slower::bigint[]
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
  AS added (hour, kind, client_id, calls, refused, failed, refresh_refused, slower)
), by_day AS (
  INSERT INTO call_days AS d (day, kind, calls, failed, slower)
  SELECT (hour AT TIME ZONE 'UTC')::date, CASE kind WHEN 'token' THEN kind ELSE 'read' END, sum(CASE client_id WHEN '' THEN failed ELSE calls END), sum(failed),
  ARRAY[coalesce(sum(slower[1]) FILTER (WHERE client_id <> ''), 0), coalesce(sum(slower[2]) FILTER (WHERE client_id <> ''), 0), coalesce(sum(slower[3]) FILTER (WHERE client_id <> ''), 0), coalesce(sum(slower[4]) FILTER (WHERE client_id <> ''), 0), coalesce(sum(slower[5]) FILTER (WHERE client_id <> ''), 0), coalesce(sum(slower[6]) FILTER (WHERE client_id <> ''), 0), coalesce(sum(slower[7]) FILTER (WHERE client_id <> ''), 0), coalesce(sum(slower[8]) FILTER (WHERE client_id <> ''), 0), coalesce(sum(slower[9]) FILTER (WHERE client_id <> ''), 0), coalesce(sum(slower[10]) FILTER (WHERE client_id <> ''), 0), coalesce(sum(slower[11]) FILTER (WHERE client_id <> ''), 0), coalesce(sum(slower[12]) FILTER (WHERE client_id <> ''), 0), coalesce(sum(slower[13]) FILTER (WHERE client_id <> ''), 0)]
  FROM added WHERE kind IN ('read', 'token') OR kind LIKE 'deprecated %' GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (day, kind) DO UPDATE
  SET calls = d.calls + excluded.calls, failed = d.failed + excluded.failed,
  slower = ARRAY(SELECT a + b FROM unnest(d.slower, excluded.slower) WITH ORDINALITY AS both_counts (a, b, n) ORDER BY n)
)
INSERT INTO call_hours AS h (hour, kind, client_id, calls, refused, failed, refresh_refused, slower)
SELECT hour, kind, client_id, calls, refused, failed, refresh_refused, slower FROM added
ORDER BY hour, kind, client_id
ON CONFLICT (hour, kind, client_id) DO UPDATE
SET calls = h.calls + excluded.calls, refused = h.refused + excluded.refused, failed = h.failed + excluded.failed,
refresh_refused = h.refresh_refused + excluded.refresh_refused, slower = ARRAY(SELECT a + b FROM unnest(h.slower, excluded.slower) WITH ORDINALITY AS both_counts (a, b, n) ORDER BY n);

-- add_reads
WITH piece AS (
  SELECT * FROM unnest($1::bigint[], $2::date[], $3::int[], $4::int[], $5::bigint[])
  AS piece (grant_id, day, low, high, reads)
),
ends AS (
  SELECT grant_id, day, low AS number, reads AS change FROM piece
  UNION ALL
  SELECT grant_id, day, high, -reads FROM piece
), changes AS (
  SELECT grant_id, day, number, sum(change) AS change FROM ends GROUP BY grant_id, day, number
), steps AS (
  SELECT grant_id, day, number AS low, lead(number) OVER upwards AS high, sum(change) OVER upwards AS reads
  FROM changes WINDOW upwards AS (PARTITION BY grant_id, day ORDER BY number)
), summed AS (
  SELECT grant_id, day, reads::int AS reads, range_agg(int4range(low, high)) AS households
  FROM steps WHERE reads > 0 GROUP BY grant_id, day, reads
), named AS (
  INSERT INTO read_log_grants (grant_id, user_id, client_id, partner_name)
  SELECT g.grant_id, g.user_id, g.client_id, coalesce(p.name, g.client_id)
  FROM unnest($6::bigint[], $7::text[], $8::text[]) AS g (grant_id, user_id, client_id)
  LEFT JOIN partners p ON p.client_id = g.client_id
  WHERE NOT EXISTS (SELECT FROM read_log_grants known WHERE known.grant_id = g.grant_id)
  ON CONFLICT DO NOTHING
), added AS (
  INSERT INTO read_log (grant_id, day, reads, households, merged)
  SELECT grant_id, day, reads, households, false FROM summed RETURNING 1
)
SELECT count(*)::int AS rows FROM added;

-- add_requests
INSERT INTO request_log (at, grant_id, kind_id, ms, status, request_id, client_id, detail)
SELECT to_timestamp(us / 1000000.0),
coalesce(grant_id, (SELECT c.grant_id FROM connections c WHERE c.access_locator_hash = decode(locator_hash, 'hex'))),
kind_id, ms, status, request_id,
coalesce(client_id, (SELECT p.client_id FROM partners p WHERE p.client_id = claimed)), detail
FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::real[], $5::smallint[], $6::text[], $7::text[], $8::text[], $9::text[],
  $10::text[])
AS call (us, grant_id, kind_id, ms, status, request_id, client_id, detail, locator_hash, claimed);

-- add_usage
WITH batch AS (
  SELECT * FROM unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[], $6::timestamptz[])
  AS batch (grant_id, day, requests, households, accounts, used_at)
), known AS (
  SELECT id FROM grants WHERE id IN (SELECT grant_id FROM batch) ORDER BY id FOR NO KEY UPDATE
), used AS (
  UPDATE grants g SET last_used_at = greatest(g.last_used_at, latest.used_at)
  FROM (SELECT id, max(used_at) AS used_at FROM known JOIN batch ON grant_id = id GROUP BY id) latest
  WHERE g.id = latest.id
)
INSERT INTO grant_reads AS r (grant_id, day, requests, households, accounts)
SELECT grant_id, day, requests, households, accounts
FROM known JOIN batch ON grant_id = id WHERE requests > 0 ORDER BY grant_id, day
ON CONFLICT (grant_id, day) DO UPDATE SET
requests = r.requests + excluded.requests,
households = r.households + excluded.households,
accounts = r.accounts + excluded.accounts
RETURNING grant_id;

-- admit_callback
WITH source AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  SELECT $2, 1, now() + interval '15 minutes' FROM identity_providers WHERE id = $1
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
)
SELECT p.id, p.name, p.issuer, p.client_id, p.auth_method, p.credential, p.public_jwk, p.claim, p.matches, p.scope,
p.acr_values, p.creates_firm IS NOT NULL AND p.creates_role IS NOT NULL AS creates_users,
EXISTS (SELECT FROM firms f WHERE f.local_passwords AND (p.firms = '{}' OR f.id = ANY (p.firms)))
AS allows_passwords,
CASE WHEN count > 100 THEN ceil(extract(epoch FROM resets_at - now()))::int END AS wait
FROM identity_providers p, source WHERE p.id = $1;

-- advance_sandbox_clock
WITH found AS (
  SELECT c.id, coalesce(k.seconds_ahead, 0) AS seconds_ahead
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN users u ON u.id = g.user_id
  JOIN partners p ON p.client_id = c.client_id
  LEFT JOIN sandbox_clocks k ON k.access_locator_hash = c.access_locator_hash
  WHERE c.access_locator_hash = $1 AND p.status = 'active' AND CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled' END IS NULL
), aged AS (
  UPDATE connections c
  SET refreshed_at = c.refreshed_at - make_interval(secs => $2::float), access_nonce_at = c.access_nonce_at - make_interval(secs => $2::float), marked_at = c.marked_at - make_interval(secs => $2::float), earlier_at = c.earlier_at - make_interval(secs => $2::float)
  FROM found WHERE c.id = found.id AND found.seconds_ahead + $2::float <= 316224000
  RETURNING c.refresh_locator_hash, c.access_locator_hash, c.grant_id
), consent AS (
  UPDATE grants g
  SET expires_at = greatest(g.expires_at - make_interval(secs => $2::float), now()),
  end_notice_at = g.end_notice_at - make_interval(secs => $2::float)
  FROM aged WHERE g.id = aged.grant_id AND g.expires_at IS NOT NULL
), advanced AS (
  INSERT INTO sandbox_clocks AS k (refresh_locator_hash, access_locator_hash, seconds_ahead)
  SELECT refresh_locator_hash, access_locator_hash, $2::float FROM aged
  ON CONFLICT (refresh_locator_hash) DO UPDATE SET seconds_ahead = k.seconds_ahead + excluded.seconds_ahead
  RETURNING k.seconds_ahead
), purged AS (
  DELETE FROM sandbox_clocks k
  WHERE NOT EXISTS (SELECT FROM connections c WHERE c.access_locator_hash = k.access_locator_hash)
)
SELECT EXISTS (SELECT FROM found) AS live, (SELECT seconds_ahead FROM advanced)::float AS seconds_ahead;

-- any_firm
SELECT id FROM firms LIMIT 1;

-- apps_of_developer
SELECT p.client_id, p.name, p.status, m.role, m.created_at AS since
FROM developer_memberships m JOIN partners p USING (client_id)
WHERE m.developer_id = $1::uuid ORDER BY p.name, p.client_id;

-- apps_of_user
SELECT g.id, p.name, p.logo, g.last_used_at FROM grants g JOIN partners p USING (client_id)
WHERE g.user_id = $1 AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))
ORDER BY g.last_used_at DESC NULLS LAST, p.name, g.id LIMIT 5;

-- audit_chain_at
SELECT place::text, hash FROM audit_chain WHERE place = $1;

-- audit_chain_end
SELECT place::text, hash FROM audit_chain ORDER BY place DESC LIMIT 1;

-- audit_checkpoints_after
SELECT number::text, place::text, hash, at, key_id, signature FROM audit_checkpoints WHERE number > $1 ORDER BY number LIMIT $2;

-- begin_developer_login
WITH own AS (
  SELECT id, password_hash, login_version, status = 'active' AS may_log_in
  FROM developers WHERE email_folded = $3 AND password_hash IS NOT NULL
), known AS (
  SELECT id, login_version FROM own WHERE may_log_in
), browser AS (
  SELECT EXISTS (SELECT FROM known, unnest($5::bytea[]) AS key
    WHERE encode(sha256(key::bytea || convert_to(login_version::text, 'UTF8')), 'hex') = ANY ($6::text[])) AS is_known
), source AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  VALUES ($1, 1, now() + interval '15 minutes')
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
), account AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  SELECT CASE WHEN is_known THEN $4::bytea ELSE $2 END, 1, now() + interval '15 minutes'
  FROM source, browser WHERE is_known OR count <= 100
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
)
SELECT ceil(extract(epoch FROM CASE WHEN NOT is_known AND source.count > 100 THEN source.resets_at
    WHEN account.count > 10 THEN account.resets_at
    END - now()))::int AS wait,
known.id::text, known.login_version::text, browser.is_known AS known_browser,
coalesce(
  (SELECT password_hash FROM own),
  (SELECT password_hash FROM developers
    WHERE password_hash IS NOT NULL AND login_version >= (SELECT encode(substring(sha256(convert_to(decoy_key || $3, 'UTF8')) FOR 16), 'hex')::uuid FROM deployment) ORDER BY login_version LIMIT 1),
  (SELECT password_hash FROM developers WHERE password_hash IS NOT NULL ORDER BY login_version LIMIT 1)
) AS password_hash
FROM source CROSS JOIN browser LEFT JOIN account ON true LEFT JOIN known ON true;

-- begin_expensive_read
INSERT INTO expensive_reads AS r (client_id, counts_until)
VALUES ($1, ARRAY[date_trunc('milliseconds', now() + make_interval(secs => $3))])
ON CONFLICT (client_id) DO UPDATE SET counts_until = ARRAY(SELECT t FROM unnest(r.counts_until) t WHERE t > now()) || excluded.counts_until
WHERE cardinality(ARRAY(SELECT t FROM unnest(r.counts_until) t WHERE t > now())) < $2
RETURNING counts_until[cardinality(counts_until)] AS counts_until;

-- begin_household_notices
INSERT INTO firm_notices (firm_id, until_at)
SELECT f.id, f.changed_at
FROM (SELECT min(e.tells_after) AS earliest FROM webhook_endpoints e WHERE e.events && ARRAY['household.changed', 'household.removed', 'grant.resync_required']) AS endpoints
JOIN firms f ON f.changed_at > earliest LEFT JOIN firm_notices n ON n.firm_id = f.id
WHERE n.firm_id IS NULL OR n.until_at IS NULL AND n.told_at < f.changed_at
ON CONFLICT (firm_id) DO UPDATE SET until_at = excluded.until_at, after_user = ''
WHERE firm_notices.until_at IS NULL AND firm_notices.told_at < excluded.until_at
RETURNING firm_id;

-- begin_login
WITH own AS (
  SELECT u.id, u.password_hash, u.login_version, u.status = 'active' AND f.local_passwords AS may_log_in
  FROM users u JOIN firms f ON f.id = u.firm_id WHERE u.email_folded = $3 AND u.password_hash IS NOT NULL
), known AS (
  SELECT id, login_version FROM own WHERE may_log_in
), browser AS (
  SELECT EXISTS (SELECT FROM known, unnest($5::bytea[]) AS key
    WHERE encode(sha256(key::bytea || convert_to(login_version::text, 'UTF8')), 'hex') = ANY ($6::text[])) AS is_known
), source AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  VALUES ($1, 1, now() + interval '15 minutes')
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
), account AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  SELECT CASE WHEN is_known THEN $4::bytea ELSE $2 END, 1, now() + interval '15 minutes'
  FROM source, browser WHERE is_known OR count <= 100
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
)
SELECT ceil(extract(epoch FROM CASE WHEN NOT is_known AND source.count > 100 THEN source.resets_at
    WHEN account.count > 10 THEN account.resets_at
    END - now()))::int AS wait,
known.id::text, known.login_version::text, browser.is_known AS known_browser,
coalesce(
  (SELECT password_hash FROM own),
  (SELECT password_hash FROM users
    WHERE password_hash IS NOT NULL AND login_version >= (SELECT encode(substring(sha256(convert_to(decoy_key || $3, 'UTF8')) FOR 16), 'hex')::uuid FROM deployment) ORDER BY login_version LIMIT 1),
  (SELECT password_hash FROM users WHERE password_hash IS NOT NULL ORDER BY login_version LIMIT 1)
) AS password_hash
FROM source CROSS JOIN browser LEFT JOIN account ON true LEFT JOIN known ON true;

-- begin_operator_login
WITH own AS (
  SELECT id, password_hash, login_version, status = 'active' AS may_log_in
  FROM operators WHERE email_folded = $3 AND password_hash IS NOT NULL
), known AS (
  SELECT id, login_version FROM own WHERE may_log_in
), browser AS (
  SELECT EXISTS (SELECT FROM known, unnest($5::bytea[]) AS key
    WHERE encode(sha256(key::bytea || convert_to(login_version::text, 'UTF8')), 'hex') = ANY ($6::text[])) AS is_known
), source AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  VALUES ($1, 1, now() + interval '15 minutes')
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
), account AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  SELECT CASE WHEN is_known THEN $4::bytea ELSE $2 END, 1, now() + interval '15 minutes'
  FROM source, browser WHERE is_known OR count <= 100
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
)
SELECT ceil(extract(epoch FROM CASE WHEN NOT is_known AND source.count > 100 THEN source.resets_at
    WHEN account.count > 10 THEN account.resets_at
    END - now()))::int AS wait,
known.id::text, known.login_version::text, browser.is_known AS known_browser,
coalesce(
  (SELECT password_hash FROM own),
  (SELECT password_hash FROM operators
    WHERE password_hash IS NOT NULL AND login_version >= (SELECT encode(substring(sha256(convert_to(decoy_key || $3, 'UTF8')) FOR 16), 'hex')::uuid FROM deployment) ORDER BY login_version LIMIT 1),
  (SELECT password_hash FROM operators WHERE password_hash IS NOT NULL ORDER BY login_version LIMIT 1)
) AS password_hash
FROM source CROSS JOIN browser LEFT JOIN account ON true LEFT JOIN known ON true;

-- bind_developer_identity
WITH candidate AS (
  SELECT o.id, o.status FROM identity_providers p, developers o
  WHERE p.id = $1 AND p.developers AND o.email_folded = $3 AND (NOT EXISTS (SELECT FROM identity_provider_domains d WHERE d.provider_id = p.id)
    OR EXISTS (SELECT FROM identity_provider_domains d
      WHERE d.provider_id = p.id AND d.domain = split_part(o.email_folded, '@', 2)))
), bound AS (
  INSERT INTO developer_identities (provider_id, sub, developer_id, last_login_at)
  SELECT $1, $2, id, now() FROM candidate WHERE status = 'active'
  ON CONFLICT DO NOTHING
  RETURNING developer_id
), withdrawn AS (
  DELETE FROM developer_links l USING bound WHERE l.developer_id = bound.developer_id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (bound.developer_id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('provider', $1::text, 'sub', $2::text))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['developer.updated']) AS event, bound
)
SELECT o.id::text, o.name, o.email, o.login_version::text, o.status = 'active' AS active, EXISTS (SELECT FROM bound) AS bound FROM candidate JOIN developers o USING (id);

-- bind_operator_identity
WITH candidate AS (
  SELECT o.id, o.status FROM identity_providers p, operators o
  WHERE p.id = $1 AND p.operators AND o.email_folded = $3 AND (NOT EXISTS (SELECT FROM identity_provider_domains d WHERE d.provider_id = p.id)
    OR EXISTS (SELECT FROM identity_provider_domains d
      WHERE d.provider_id = p.id AND d.domain = split_part(o.email_folded, '@', 2)))
), bound AS (
  INSERT INTO operator_identities (provider_id, sub, operator_id, last_login_at)
  SELECT $1, $2, id, now() FROM candidate WHERE status = 'active'
  ON CONFLICT DO NOTHING
  RETURNING operator_id
), withdrawn AS (
  DELETE FROM operator_links l USING bound WHERE l.operator_id = bound.operator_id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'operator', (bound.operator_id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('provider', $1::text, 'sub', $2::text))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['operator.updated']) AS event, bound
)
SELECT o.id::text, o.name, o.email, o.login_version::text, o.status = 'active' AS active, EXISTS (SELECT FROM bound) AS bound FROM candidate JOIN operators o USING (id);

-- busiest_hours
SELECT DISTINCT ON (is_token) is_token, hour AS at, sum(calls)::float8 AS calls
FROM (SELECT hour, kind = 'token' AS is_token, calls FROM call_hours
  WHERE client_id = $1 AND hour >= $2 AND kind NOT IN ('limited', 'other')) AS counted
GROUP BY is_token, hour ORDER BY is_token, sum(calls) DESC, hour DESC;

-- calls_by_period
SELECT to_timestamp(floor(extract(epoch FROM hour) / $2::int) * $2::int) AS at,
sum(calls)::float8 AS calls, sum(refused)::float8 AS refused, sum(failed)::float8 AS failed, sum(refresh_refused)::float8 AS refresh_refused, ARRAY[sum(slower[1])::float8, sum(slower[2])::float8, sum(slower[3])::float8, sum(slower[4])::float8, sum(slower[5])::float8, sum(slower[6])::float8, sum(slower[7])::float8, sum(slower[8])::float8, sum(slower[9])::float8, sum(slower[10])::float8, sum(slower[11])::float8, sum(slower[12])::float8, sum(slower[13])::float8] AS slower
FROM call_hours WHERE hour >= $1  GROUP BY 1 ORDER BY 1;

-- chained_audit_rows
SELECT c.place::text, c.hash, to_jsonb(r) || CASE WHEN EXISTS (
  SELECT FROM jsonb_path_query(r.details, '$.** ? (@.type() == "number")') AS found,
  LATERAL (SELECT (found #>> '{}')::numeric AS number) AS n
  WHERE CASE WHEN abs(number) BETWEEN 1e-300 AND 1e300 THEN number <> number::float8::text::numeric
  ELSE number <> 0 END)
THEN jsonb_build_object('exact_details', r.details::text) ELSE '{}' END AS record
FROM (SELECT * FROM audit_chain WHERE place > $1 ORDER BY place LIMIT $2) AS c
LEFT JOIN LATERAL (
  SELECT a.id::text AS id, to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, a.transaction::text AS transaction, a.event AS event, a.actor_kind AS actor_kind, a.actor_id AS actor_id, a.actor_name AS actor_name, a.via AS via, a.address AS address, a.user_agent AS user_agent, a.request_id AS request_id, a.target_kind AS target_kind, a.target_id AS target_id, a.firm_id AS firm_id, a.user_id AS user_id, a.client_id AS client_id, a.details AS details FROM audit_log a WHERE a.at = c.audit_at AND a.id = c.audit_id
) AS r ON true
ORDER BY c.place;

-- change_developer_factor
WITH changed AS (
  UPDATE developers SET login_version = gen_random_uuid() WHERE id = $1::uuid AND login_version = $2::uuid AND status = 'active' AND password_hash IS NOT NULL
  RETURNING id, login_version
), totp AS (
  INSERT INTO developer_totp_secrets (developer_id, sealed, last_step)
  SELECT id, $3, $4::bigint FROM changed
  ON CONFLICT (developer_id) DO UPDATE SET sealed = excluded.sealed, last_step = excluded.last_step, created_at = now(),
  last_used_at = NULL
), codes AS (
  INSERT INTO developer_recovery_codes (developer_id, hashes) SELECT id, $5::bytea[] FROM changed
  ON CONFLICT (developer_id) DO UPDATE SET hashes = excluded.hashes, created_at = now()
), ended AS (
  DELETE FROM developer_sessions s USING changed WHERE s.developer_id = changed.id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (changed.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('credentials', 'second_factor'::text))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['developer.updated']) AS event, changed
)
SELECT login_version::text FROM changed;

-- change_developer_password
WITH changed AS (
  UPDATE developers SET password_hash = $3, login_version = gen_random_uuid() WHERE id = $1::uuid AND login_version = $2::uuid AND status = 'active' AND password_hash IS NOT NULL
  RETURNING id, login_version
), ended AS (
  DELETE FROM developer_sessions s USING changed WHERE s.developer_id = changed.id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (changed.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('credentials', 'password'::text))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['developer.updated']) AS event, changed
)
SELECT login_version::text FROM changed;

-- change_operator_factor
WITH changed AS (
  UPDATE operators SET login_version = gen_random_uuid() WHERE id = $1::uuid AND login_version = $2::uuid AND status = 'active' AND password_hash IS NOT NULL
  RETURNING id, login_version
), totp AS (
  INSERT INTO operator_totp_secrets (operator_id, sealed, last_step)
  SELECT id, $3, $4::bigint FROM changed
  ON CONFLICT (operator_id) DO UPDATE SET sealed = excluded.sealed, last_step = excluded.last_step, created_at = now(),
  last_used_at = NULL
), codes AS (
  INSERT INTO operator_recovery_codes (operator_id, hashes) SELECT id, $5::bytea[] FROM changed
  ON CONFLICT (operator_id) DO UPDATE SET hashes = excluded.hashes, created_at = now()
), ended AS (
  DELETE FROM operator_sessions s USING changed WHERE s.operator_id = changed.id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'operator', (changed.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('credentials', 'second_factor'::text))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['operator.updated']) AS event, changed
)
SELECT login_version::text FROM changed;

-- change_operator_password
WITH changed AS (
  UPDATE operators SET password_hash = $3, login_version = gen_random_uuid() WHERE id = $1::uuid AND login_version = $2::uuid AND status = 'active' AND password_hash IS NOT NULL
  RETURNING id, login_version
), ended AS (
  DELETE FROM operator_sessions s USING changed WHERE s.operator_id = changed.id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'operator', (changed.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('credentials', 'password'::text))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['operator.updated']) AS event, changed
)
SELECT login_version::text FROM changed;

-- change_password_in_session
WITH changed AS (
  UPDATE users u SET password_hash = $3, login_version = gen_random_uuid() FROM sessions s
  WHERE s.hash = $1 AND s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes' AND s.login_version = u.login_version AND u.id = s.user_id AND u.login_version = $2
  RETURNING u.id, u.firm_id, u.login_version
), ended AS (
  DELETE FROM sessions s USING changed WHERE s.user_id = changed.id
  RETURNING s.hash, changed.login_version, s.user_id, s.auth_time, s.auth_time_is_known, s.expires_at, s.acr, s.amr, s.browser, s.system, s.request_id, s.provider_id, s.provider_sub, s.provider_sid, s.provider_id_token
), opened AS (
  INSERT INTO sessions (hash, login_version, user_id, auth_time, auth_time_is_known, expires_at, acr, amr, browser, system, request_id, provider_id, provider_sub, provider_sid, provider_id_token)
  SELECT $4, login_version, user_id, auth_time, auth_time_is_known, expires_at, acr, amr, browser, system, request_id, provider_id, provider_sub, provider_sid, provider_id_token FROM ended WHERE hash = $1
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'password_changed', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('by', 'user', 'at', now())),
  now() + interval '2 days'
  FROM changed JOIN users u USING (id) WHERE $6::boolean
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (changed.id)::text,
  (changed.firm_id)::text, (changed.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('sessions_ended', (SELECT count(*) - 1 FROM ended)))
  FROM (SELECT ($7)::jsonb AS origin) AS o, unnest(ARRAY['user.password_changed']) AS event, changed
)
SELECT encode(sha256($5::bytea || convert_to(login_version::text, 'UTF8')), 'hex') AS proof FROM changed;

-- claim_idempotency_key
INSERT INTO idempotent_requests AS r (actor_id, key_hash, digest) VALUES ($1, $2, $3)
ON CONFLICT (actor_id, key_hash) DO UPDATE
SET digest = CASE WHEN r.created_at <= now() - interval '24 hours' THEN excluded.digest ELSE r.digest END,
status = CASE WHEN r.created_at <= now() - interval '24 hours' THEN NULL ELSE r.status END,
location = CASE WHEN r.created_at <= now() - interval '24 hours' THEN NULL ELSE r.location END,
body = CASE WHEN r.created_at <= now() - interval '24 hours' THEN NULL ELSE r.body END,
created_at = CASE WHEN r.created_at <= now() - interval '24 hours' THEN now() ELSE r.created_at END
RETURNING digest = $3 AS is_same, status, location, body;

-- close_expired_grants
WITH due AS (
  SELECT id FROM grants WHERE expires_at <= now() AND revoked_at IS NULL
  ORDER BY expires_at LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED
), closed AS (
  UPDATE grants g SET revoked_at = g.expires_at FROM due WHERE g.id = due.id
  RETURNING g.id, g.user_id, g.client_id, g.expires_at
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'grant', (closed.id)::text,
  (NULL)::text, (closed.user_id)::text, (closed.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('expired_at', closed.expires_at))
  FROM (SELECT ($1)::jsonb AS origin) AS o, unnest(ARRAY['grant.expired']) AS event, closed
)
SELECT count(*)::int AS closed FROM closed;

-- confirm_developer_session
UPDATE developer_sessions s SET hash = $2, proved_at = now()
FROM developers o WHERE s.hash = $1 AND o.id = s.developer_id AND s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes' AND s.login_version = o.login_version AND o.status = 'active'
AND (s.provider_id IS NULL OR EXISTS (SELECT FROM identity_providers p WHERE p.id = s.provider_id AND p.developers))
RETURNING s.developer_id::text AS id;

-- confirm_operator_session
UPDATE operator_sessions s SET hash = $2, proved_at = now()
FROM operators o WHERE s.hash = $1 AND o.id = s.operator_id AND s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes' AND s.login_version = o.login_version AND o.status = 'active'
AND (s.provider_id IS NULL OR EXISTS (SELECT FROM identity_providers p WHERE p.id = s.provider_id AND p.operators))
RETURNING s.operator_id::text AS id;

-- connections_of_grant
SELECT c.id, c.created_at, c.refreshed_at, coalesce(c.revoked_at, CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN g.expires_at ELSE g.revoked_at END) AS ended_at,
CASE
WHEN c.revoked_at IS NOT NULL THEN
CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
WHEN g.revoked_at IS NOT NULL THEN
CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
WHEN u.status <> 'active' THEN 'user_disabled' END AS cause
FROM connections c JOIN grants g ON g.id = c.grant_id JOIN users u ON u.id = g.user_id
WHERE g.client_id = $1 AND g.id = $2 ORDER BY c.created_at DESC, c.id DESC LIMIT $3;

-- count_factor_attempt
WITH source AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  VALUES ($1, 1, now() + interval '15 minutes')
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
), account AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  SELECT $2, 1, now() + CASE WHEN $3 THEN interval '1 hours' ELSE interval '24 hours' END
  FROM source WHERE $2::bytea IS NOT NULL AND ($3 OR count <= 100)
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
)
SELECT ceil(extract(epoch FROM CASE WHEN NOT $3::boolean AND source.count > 100 THEN source.resets_at
    WHEN account.count > 10 THEN account.resets_at
    END - now()))::int AS wait
FROM source LEFT JOIN account ON true;

-- count_recovery_codes
SELECT cardinality(hashes) AS left FROM recovery_codes WHERE user_id = $1;

-- count_unreadable_developer_totp_secrets
SELECT count(*)::int AS rows FROM developer_totp_secrets WHERE left(sealed, 3) <> ALL ($1::text[]);

-- count_unreadable_identity_providers
SELECT count(*)::int AS rows FROM identity_providers WHERE left(credential, 3) <> ALL ($1::text[]);

-- count_unreadable_operator_totp_secrets
SELECT count(*)::int AS rows FROM operator_totp_secrets WHERE left(sealed, 3) <> ALL ($1::text[]);

-- count_unreadable_totp_secrets
SELECT count(*)::int AS rows FROM totp_secrets WHERE left(sealed, 3) <> ALL ($1::text[]);

-- count_unreadable_webhook_secrets
SELECT count(*)::int AS rows FROM webhook_secrets WHERE left(sealed, 3) <> ALL ($1::text[]);

-- create_linked_user
WITH created AS (
  INSERT INTO users (id, firm_id, email, email_folded, name, role, status, source)
  SELECT $6, p.creates_firm, $7, $8, $9, p.creates_role, 'active', 'login' FROM identity_providers p
  WHERE p.id = $1 AND p.creates_firm IS NOT NULL AND p.creates_role IS NOT NULL AND (NOT EXISTS (SELECT FROM identity_provider_domains d WHERE d.provider_id = p.id)
    OR EXISTS (SELECT FROM identity_provider_domains d
      WHERE d.provider_id = p.id AND d.domain = split_part($8::text, '@', 2)))
  AND NOT EXISTS (SELECT FROM users u WHERE u.email_folded IN ($3, $8) OR u.id IN ($4, $6))
  ON CONFLICT DO NOTHING
  RETURNING id, email, login_version
), linked AS (
  INSERT INTO identities (provider_id, sub, user_id, last_login_at)
  SELECT $1, $2, id, now() FROM created
  ON CONFLICT DO NOTHING
  RETURNING user_id
), forgiven AS (
  UPDATE login_failures SET count = count - 1 WHERE key = $5 AND EXISTS (SELECT FROM linked)
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (linked.user_id)::text,
  (NULL)::text, (linked.user_id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('provider', $1::text, 'sub', $2::text, 'email', $7::text, 'name', $9::text))
  FROM (SELECT ($10)::jsonb AS origin) AS o, unnest(ARRAY['user.created', 'user.identity_bound']) AS event, linked
)
SELECT user_id, email, login_version FROM created JOIN linked ON user_id = id;

-- data_facts
SELECT has_table_privilege('audit_log', 'UPDATE, DELETE, TRUNCATE') AS changes_audit,
(SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM households) AS households,
(SELECT count(*)::int FROM partners) AS partners,
(SELECT count(*)::int FROM grants g WHERE (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))) AS grants;

-- delete_developer
WITH gone AS (
  DELETE FROM developers WHERE (id::text = $1 OR email_folded = $1) RETURNING id, email, name
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (gone.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('email', gone.email, 'name', gone.name))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['developer.removed']) AS event, gone
)
SELECT id::text FROM gone;

-- delete_developer_membership
WITH admins AS (
  SELECT m.developer_id FROM developer_memberships m JOIN developers d ON d.id = m.developer_id
  WHERE m.client_id = $1 AND m.role = 'admin' AND m.last_seen_at IS NOT NULL AND d.status = 'active'
  ORDER BY m.developer_id FOR UPDATE OF m
), found AS (
  SELECT m.developer_id, m.role, d.email FROM developer_memberships m JOIN developers d ON d.id = m.developer_id
  WHERE m.client_id = $1 AND (d.id::text = $2 OR d.email_folded = $2) AND (SELECT count(*) FROM admins) >= 0
  FOR UPDATE OF m
), gone AS (
  DELETE FROM developer_memberships m USING found
  WHERE m.client_id = $1 AND m.developer_id = found.developer_id AND ($3 OR NOT (found.developer_id IN (SELECT developer_id FROM admins) AND (SELECT count(*) FROM admins) = 1))
  RETURNING m.developer_id
), withdrawn AS (
  DELETE FROM developer_links l USING gone, developers d
  WHERE l.developer_id = gone.developer_id AND d.id = gone.developer_id AND NOT (d.password_hash IS NOT NULL OR EXISTS (SELECT FROM developer_identities i WHERE i.developer_id = d.id))
  AND NOT EXISTS (SELECT FROM developer_memberships o WHERE o.developer_id = gone.developer_id AND o.client_id <> $1)
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (developer_id)::text,
  (NULL)::text, (NULL)::text, ($1)::text,
  jsonb_strip_nulls(jsonb_build_object('email', found.email, 'role', found.role))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['developer.removed']) AS event, gone JOIN found USING (developer_id)
)
SELECT developer_id::text, NOT EXISTS (SELECT FROM gone) AS last_admin FROM found;

-- delete_factors
WITH changed AS (
  UPDATE users SET login_version = gen_random_uuid() WHERE id = $1 OR email_folded = $1
  RETURNING id, firm_id
), passkeys AS (
  DELETE FROM passkeys k USING changed WHERE k.user_id = changed.id RETURNING 1
), totp AS (
  DELETE FROM totp_secrets t USING changed WHERE t.user_id = changed.id RETURNING 1
), codes AS (
  DELETE FROM recovery_codes c USING changed WHERE c.user_id = changed.id RETURNING cardinality(c.hashes) AS count
), ended AS (
  DELETE FROM sessions s USING changed WHERE s.user_id = changed.id RETURNING 1
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'factors_changed', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('change', 'reset', 'at', now())),
  now() + interval '2 days'
  FROM changed JOIN users u USING (id)
  WHERE $2::boolean AND (EXISTS (SELECT FROM passkeys) OR EXISTS (SELECT FROM totp))
), facts AS (
  SELECT id, firm_id, (SELECT count(*)::int FROM passkeys) AS passkeys, EXISTS (SELECT FROM totp) AS totp,
  coalesce((SELECT count FROM codes), 0) AS recovery_codes, (SELECT count(*)::int FROM ended) AS sessions_ended
  FROM changed
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (facts.id)::text,
  (facts.firm_id)::text, (facts.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('passkeys', facts.passkeys, 'totp', facts.totp, 'recovery_codes', facts.recovery_codes, 'sessions_ended', facts.sessions_ended))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['user.factors_reset']) AS event, facts
)
SELECT id, passkeys, totp, recovery_codes, sessions_ended FROM facts;

-- delete_operator
WITH owners AS (
  SELECT id FROM operators WHERE role = 'owner' AND status = 'active' ORDER BY id FOR UPDATE
), found AS (
  SELECT id, email, name, role FROM operators WHERE (id::text = $1 OR email_folded = $1) FOR UPDATE
), gone AS (
  DELETE FROM operators o USING found WHERE o.id = found.id AND NOT (found.id IN (SELECT id FROM owners) AND (SELECT count(*) FROM owners) = 1) RETURNING o.id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'operator', (gone.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('email', found.email, 'name', found.name, 'role', found.role))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['operator.removed']) AS event, gone JOIN found USING (id)
)
SELECT id::text, NOT EXISTS (SELECT FROM gone) AS last_owner FROM found;

-- delete_partner
WITH live AS (
  SELECT l.id, l.user_id, l.client_id FROM grants l JOIN (SELECT g.id, g.user_id, g.client_id FROM grants g WHERE g.client_id = $1 AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))) AS found USING (id)
  ORDER BY l.id FOR UPDATE OF l
), facts AS (
  SELECT p.client_id, p.name, jsonb_build_object('name', p.name, 'status', p.status, 'redirect_uris', p.redirect_uris, 'require_pkce', p.require_pkce, 'auth_methods', p.auth_methods, 'key_thumbprints', p.key_thumbprints, 'id_token_alg', p.id_token_alg, 'id_token_on_refresh', p.id_token_on_refresh, 'post_logout_redirect_uris', p.post_logout_redirect_uris, 'site', p.site, 'logo', p.logo, 'privacy_url', p.privacy_url, 'description', p.description, 'limits', p.limits, 'grant_lifetime_days', p.grant_lifetime_days, 'require_acr', p.require_acr) || jsonb_build_object('live_secrets', cardinality(p.secret_hashes)) AS settings, (SELECT count(*)::int FROM live) AS connected_users,
  (SELECT count(*)::int FROM live JOIN connections c ON c.grant_id = live.id WHERE c.revoked_at IS NULL)
  AS connections
  FROM partners p WHERE p.client_id = $1
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'partner', (facts.client_id)::text,
  (NULL)::text, (NULL)::text, (facts.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('before', facts.settings, 'connected_users', facts.connected_users, 'connections', facts.connections))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['partner.deleted']) AS event, facts
), ended AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'grant', (live.id)::text,
  (NULL)::text, (live.user_id)::text, (live.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', 'partner_deleted'))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['grant.revoked']) AS event, live
), deleted AS (
  DELETE FROM partners p USING facts WHERE p.client_id = facts.client_id RETURNING p.client_id
)
SELECT client_id, name, connected_users, connections FROM facts JOIN deleted USING (client_id);

-- delete_passkey
WITH removed AS (
  DELETE FROM passkeys WHERE user_id = $1 AND id = $2 RETURNING id, user_id, name
), codes AS (
  DELETE FROM recovery_codes c WHERE c.user_id = $1 AND EXISTS (SELECT FROM removed)
  AND NOT EXISTS (SELECT FROM passkeys k WHERE k.user_id = $1 AND k.id <> $2)
  AND NOT EXISTS (SELECT FROM totp_secrets t WHERE t.user_id = $1 AND true)
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'factors_changed', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('change', 'passkey_removed', 'at', now())),
  now() + interval '2 days'
  FROM removed, users u WHERE u.id = $1 AND $3::boolean
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (u.id)::text,
  (u.firm_id)::text, (u.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('method', 'passkey', 'passkey', removed.id, 'name', removed.name))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['user.factor_removed']) AS event, removed JOIN users u ON u.id = user_id
)
SELECT id FROM removed;

-- delete_provider
WITH gone AS (
  DELETE FROM identity_providers WHERE id = $1 RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'provider', (p.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('before', jsonb_build_object('name', p.name, 'issuer', p.issuer, 'client_id', p.client_id, 'auth_method', p.auth_method, 'public_jwk', p.public_jwk, 'claim', p.claim, 'matches', p.matches, 'firms', p.firms, 'creates_firm', p.creates_firm, 'creates_role', p.creates_role, 'scope', p.scope, 'acr_values', p.acr_values), 'linked_users', (SELECT count(*) FROM identities i WHERE i.provider_id = p.id)))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['provider.removed']) AS event, gone p
)
SELECT (SELECT count(*)::int FROM identities i WHERE i.provider_id = gone.id) AS linked_users,
(SELECT count(*)::int FROM sessions s WHERE s.provider_id = gone.id AND s.expires_at > now()) AS live_sessions,
(SELECT count(*)::int FROM identities i JOIN users u ON u.id = i.user_id JOIN firms f ON f.id = u.firm_id
  WHERE i.provider_id = gone.id AND (u.password_hash IS NULL OR NOT f.local_passwords)) AS users_without_password
FROM gone;

-- delete_signing_key
WITH removed AS (
  DELETE FROM signing_keys WHERE kid = $1 RETURNING kid, algorithm, generation, private_jwk IS NOT NULL AS is_live, signs_from
), others AS (
  SELECT s.generation, s.signs_from FROM signing_keys s JOIN removed r USING (algorithm)
  WHERE s.kid <> r.kid AND s.private_jwk IS NOT NULL
), made AS (
  INSERT INTO signing_keys (kid, algorithm, generation, public_jwk, private_jwk, created_at, signs_from)
  SELECT $2, r.algorithm, r.generation + 1, $3::jsonb, $4, now(),
  now() + CASE WHEN EXISTS (SELECT FROM others) THEN interval '60 minutes' ELSE interval '0' END
  FROM removed r
  WHERE r.is_live AND NOT EXISTS (SELECT FROM others o WHERE o.generation > r.generation)
  ON CONFLICT (algorithm, generation) DO NOTHING
  RETURNING kid, signs_from
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'signing_key', (r.kid)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('algorithm', r.algorithm, 'signed_from', r.signs_from, 'new_key', (SELECT kid FROM made), 'new_key_signs_from', (SELECT signs_from FROM made)))
  FROM (SELECT ($5)::jsonb AS origin) AS o, unnest(ARRAY['key.removed']) AS event, removed r
)
SELECT r.kid, r.algorithm, made.kid AS new_kid, made.signs_from AS new_signs_from FROM removed r LEFT JOIN made ON true;

-- delete_totp_secret
WITH removed AS (
  DELETE FROM totp_secrets WHERE user_id = $1 RETURNING user_id
), codes AS (
  DELETE FROM recovery_codes c WHERE c.user_id = $1 AND EXISTS (SELECT FROM removed)
  AND NOT EXISTS (SELECT FROM passkeys k WHERE k.user_id = $1 AND true)
  AND NOT EXISTS (SELECT FROM totp_secrets t WHERE t.user_id = $1 AND false)
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'factors_changed', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('change', 'totp_removed', 'at', now())),
  now() + interval '2 days'
  FROM removed JOIN users u ON u.id = removed.user_id WHERE $2::boolean
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (u.id)::text,
  (u.firm_id)::text, (u.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('method', 'totp'))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['user.factor_removed']) AS event, removed JOIN users u ON u.id = user_id
)
SELECT user_id FROM removed;

-- delete_webhook_endpoint
WITH e AS (
  DELETE FROM webhook_endpoints WHERE client_id = $1 AND id = $2 RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'webhook', (e.id)::text,
  (NULL)::text, (NULL)::text, (e.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('before', jsonb_build_object('events', e.events, 'description', e.description, 'status', e.status, 'disabled_for', e.disabled_for)
      || jsonb_build_object('url', substring(e.url FROM '^[^/]*//[^/?]*/') || '…')))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['webhook.removed']) AS event, e
)
SELECT id FROM e;

-- deprecated_calls
SELECT substr(kind, length('deprecated ') + 1) AS operation, sum(calls)::float8 AS calls, sum(refused)::float8 AS refused,
min(hour) AS first_hour, max(hour) AS last_hour
FROM call_hours WHERE client_id = $1 AND hour >= $2 AND kind LIKE 'deprecated %'
GROUP BY kind ORDER BY last_hour DESC, kind;

-- developer_provider_rules
SELECT developers_acr AS acr FROM identity_providers WHERE id = $1 AND developers;

-- developer_providers
SELECT id, name, issuer FROM identity_providers WHERE developers ORDER BY name, id;

-- developers_of_partner
SELECT d.id::text, CASE WHEN m.last_seen_at IS NULL THEN d.email_folded ELSE d.email END AS email,
CASE WHEN m.last_seen_at IS NOT NULL THEN d.name END AS name, m.role,
CASE WHEN m.last_seen_at IS NULL THEN 'invited' ELSE d.status END AS status,
m.created_at AS invited_at, m.last_seen_at
FROM developer_memberships m JOIN developers d ON d.id = m.developer_id
WHERE m.client_id = $1 ORDER BY d.email_folded;

-- disable_webhook_endpoint
WITH e AS (
  UPDATE webhook_endpoints SET status = 'disabled', disabled_for = $3
  WHERE client_id = $1 AND id = $2 AND (status = 'active' OR $3 = 'operator' AND disabled_for <> 'operator') RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'webhook', (e.id)::text,
  (NULL)::text, (NULL)::text, (e.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', e.disabled_for))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['webhook.disabled']) AS event, e
)
SELECT id FROM webhook_endpoints WHERE client_id = $1 AND id = $2;

-- enable_webhook_endpoint
WITH old AS (
  SELECT * FROM webhook_endpoints WHERE client_id = $1 AND id = $2 AND status = 'disabled' FOR NO KEY UPDATE
), e AS (
  UPDATE webhook_endpoints n SET status = 'active', disabled_for = NULL, failing_since = NULL
  FROM old WHERE n.id = old.id AND NOT (old.disabled_for = 'operator' AND $3 = 'partner') RETURNING n.*
), due AS (
  UPDATE webhook_messages m SET next_attempt_at = now(), due_since = now(), failures = 0
  FROM e
  WHERE m.endpoint_id = e.id AND (m.next_attempt_at > now() AND m.taken_by IS NULL
    OR m.next_attempt_at <= now() AND m.failures > 0)
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'webhook', (e.id)::text,
  (NULL)::text, (NULL)::text, (e.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', old.disabled_for))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['webhook.enabled']) AS event, e JOIN old ON old.id = e.id
)
SELECT id, EXISTS (SELECT FROM old) AND NOT EXISTS (SELECT FROM e) AS is_refused
FROM webhook_endpoints WHERE client_id = $1 AND id = $2;

-- end_connections
WITH live AS (
  SELECT id, grant_id FROM connections WHERE revoked_at IS NULL ORDER BY grant_id, id FOR NO KEY UPDATE
), held AS MATERIALIZED (
  SELECT id FROM grants WHERE id IN (SELECT grant_id FROM live) ORDER BY id FOR NO KEY UPDATE
), ended AS (
  UPDATE connections c SET revoked_at = now() FROM live JOIN held ON held.id = live.grant_id WHERE c.id = live.id RETURNING c.id
)
SELECT count(*)::int AS connections FROM ended;

-- end_developer_session
WITH ended AS (
  DELETE FROM developer_sessions WHERE hash = $1 RETURNING developer_id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (ended.developer_id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object())
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['developer.logged_out']) AS event, ended
)
SELECT developer_id::text AS id FROM ended;

-- end_expensive_read
UPDATE expensive_reads
SET counts_until = counts_until[:array_position(counts_until, $2) - 1] || counts_until[array_position(counts_until, $2) + 1:]
WHERE client_id = $1 AND $2 = ANY (counts_until)
RETURNING client_id;

-- end_leaked_access_token
WITH found AS (
  SELECT c.id, c.grant_id, g.client_id, g.user_id,
  coalesce(CASE
    WHEN c.revoked_at IS NOT NULL THEN
    CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
    WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
    WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
    WHEN g.revoked_at IS NOT NULL THEN
    CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
    WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
    WHEN u.status <> 'active' THEN 'user_disabled' END, 'user_disabled') = 'user_disabled' AND now() < $6::timestamptz AND (
    $5::bytea = c.access_nonce AND $6 <= c.access_nonce_at + interval '7320 seconds'
    OR $5::bytea = c.previous_access_nonce AND $6 <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE AS was_live
  FROM connections c JOIN grants g ON g.id = c.grant_id JOIN users u ON u.id = g.user_id WHERE c.access_locator_hash = $1
), ended AS (
  UPDATE connections c SET access_nonce = NULL, previous_access_nonce = NULL
  FROM found f WHERE c.id = f.id AND f.was_live RETURNING c.id
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'connection', (f.id)::text,
  (NULL)::text, (f.user_id)::text, (f.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('credential', 'access_token', 'grant', f.grant_id, 'source', $3::text))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['credential.leaked']) AS event, found f WHERE f.was_live
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'leaked', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('partner', p.name, 'ended', 'access', 'at', now())),
  now() + interval '2 days'
  FROM ended e JOIN found f USING (id) JOIN users u ON u.id = f.user_id JOIN partners p ON p.client_id = f.client_id WHERE $4::boolean AND u.status = 'active'
)
SELECT client_id, user_id, was_live FROM found;

-- end_leaked_code
WITH found AS (
  SELECT c.id, c.grant_id, g.client_id, g.user_id,
  coalesce(CASE
    WHEN c.revoked_at IS NOT NULL THEN
    CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
    WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
    WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
    WHEN g.revoked_at IS NOT NULL THEN
    CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
    WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
    WHEN u.status <> 'active' THEN 'user_disabled' END, 'user_disabled') = 'user_disabled' AND c.redemptions = 0 AND c.code_expires_at > now() AS was_live
  FROM connections c JOIN grants g ON g.id = c.grant_id JOIN users u ON u.id = g.user_id WHERE c.code_hash = $1
), ended AS (
  UPDATE connections c SET revoked_at = now(), revoked_for = 'leaked'
  FROM found f WHERE c.id = f.id AND f.was_live AND c.revoked_at IS NULL RETURNING c.id
), ending AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'connection', (f.id)::text,
  (NULL)::text, (f.user_id)::text, (f.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', 'leaked', 'grant', f.grant_id))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['connection.ended']) AS event, ended e JOIN found f USING (id)
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'connection', (f.id)::text,
  (NULL)::text, (f.user_id)::text, (f.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('credential', 'authorization_code', 'grant', f.grant_id, 'source', $3::text))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['credential.leaked']) AS event, found f WHERE f.was_live
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'leaked', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('partner', p.name, 'ended', 'connection', 'at', now())),
  now() + interval '2 days'
  FROM ended e JOIN found f USING (id) JOIN users u ON u.id = f.user_id JOIN partners p ON p.client_id = f.client_id WHERE $4::boolean AND u.status = 'active'
)
SELECT client_id, user_id, was_live FROM found;

-- end_leaked_refresh_token
WITH found AS (
  SELECT c.id, c.grant_id, g.client_id, g.user_id, coalesce(CASE
    WHEN c.revoked_at IS NOT NULL THEN
    CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
    WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
    WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
    WHEN g.revoked_at IS NOT NULL THEN
    CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
    WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
    WHEN u.status <> 'active' THEN 'user_disabled' END, 'user_disabled') = 'user_disabled' AS was_live
  FROM connections c JOIN grants g ON g.id = c.grant_id JOIN users u ON u.id = g.user_id WHERE c.refresh_locator_hash = $1
), ended AS (
  UPDATE connections c SET revoked_at = now(), revoked_for = 'leaked'
  FROM found f WHERE c.id = f.id AND f.was_live AND c.revoked_at IS NULL RETURNING c.id
), ending AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'connection', (f.id)::text,
  (NULL)::text, (f.user_id)::text, (f.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', 'leaked', 'grant', f.grant_id))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['connection.ended']) AS event, ended e JOIN found f USING (id)
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'connection', (f.id)::text,
  (NULL)::text, (f.user_id)::text, (f.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('credential', 'refresh_token', 'grant', f.grant_id, 'source', $3::text))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['credential.leaked']) AS event, found f WHERE f.was_live
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'leaked', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('partner', p.name, 'ended', 'connection', 'at', now())),
  now() + interval '2 days'
  FROM ended e JOIN found f USING (id) JOIN users u ON u.id = f.user_id JOIN partners p ON p.client_id = f.client_id WHERE $4::boolean AND u.status = 'active'
)
SELECT client_id, user_id, was_live FROM found;

-- end_old_secrets
WITH old AS (SELECT client_id, jsonb_build_object('name', p.name, 'status', p.status, 'redirect_uris', p.redirect_uris, 'require_pkce', p.require_pkce, 'auth_methods', p.auth_methods, 'key_thumbprints', p.key_thumbprints, 'id_token_alg', p.id_token_alg, 'id_token_on_refresh', p.id_token_on_refresh, 'post_logout_redirect_uris', p.post_logout_redirect_uris, 'site', p.site, 'logo', p.logo, 'privacy_url', p.privacy_url, 'description', p.description, 'limits', p.limits, 'grant_lifetime_days', p.grant_lifetime_days, 'require_acr', p.require_acr) || jsonb_build_object('live_secrets', cardinality(p.secret_hashes)) AS settings FROM partners p WHERE client_id = $1 FOR NO KEY UPDATE), changed AS (
  UPDATE partners SET secret_hashes = secret_hashes[1:1]
  WHERE client_id = (SELECT client_id FROM old) AND cardinality(secret_hashes) > 1 RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'partner', (c.client_id)::text,
  (NULL)::text, (NULL)::text, (c.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(old.settings, (jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes)))), 'after', differing_fields((jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes))), old.settings)))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['partner.secret_ended']) AS event, changed c JOIN old USING (client_id)
)
SELECT (old.settings->>'live_secrets')::int - coalesce(cardinality(c.secret_hashes), (old.settings->>'live_secrets')::int) AS ended
FROM old LEFT JOIN changed c USING (client_id);

-- end_operator_session
WITH ended AS (
  DELETE FROM operator_sessions WHERE hash = $1 RETURNING operator_id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'operator', (ended.operator_id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object())
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['operator.logged_out']) AS event, ended
)
SELECT operator_id::text AS id FROM ended;

-- end_other_sessions
WITH ended AS (
  DELETE FROM sessions WHERE user_id = $1 AND hash <> $2 RETURNING id, user_id
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'session', (s.id)::text,
  (NULL)::text, (s.user_id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', 'requested'))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['session.ended']) AS event, ended s
)
SELECT id FROM ended;

-- end_password_links
WITH links AS (DELETE FROM password_links)
DELETE FROM outbox WHERE kind = 'mail' AND payload->'facts' ? 'link';

-- end_provider_sessions
WITH used AS (
  INSERT INTO logout_tokens (hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1
), ended AS (
  DELETE FROM sessions WHERE provider_id = $3 AND EXISTS (SELECT FROM used)
  AND ($4::text IS NULL OR provider_sub = $4)
  AND ($5::text IS NULL OR provider_sid = $5 OR ($4 IS NOT NULL AND provider_sid IS NULL)) RETURNING id, user_id
), ended_of_operators AS (
  DELETE FROM operator_sessions WHERE provider_id = $3 AND EXISTS (SELECT FROM used)
  AND ($4::text IS NULL OR provider_sub = $4)
  AND ($5::text IS NULL OR provider_sid = $5 OR ($4 IS NOT NULL AND provider_sid IS NULL)) RETURNING id, operator_id
), recorded_of_operators AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'operator', (s.operator_id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', 'provider_logout', 'provider', $3::text))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['operator.logged_out']) AS event, ended_of_operators s
), ended_of_developers AS (
  DELETE FROM developer_sessions WHERE provider_id = $3 AND EXISTS (SELECT FROM used)
  AND ($4::text IS NULL OR provider_sub = $4)
  AND ($5::text IS NULL OR provider_sid = $5 OR ($4 IS NOT NULL AND provider_sid IS NULL)) RETURNING id, developer_id
), recorded_of_developers AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (s.developer_id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', 'provider_logout', 'provider', $3::text))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['developer.logged_out']) AS event, ended_of_developers s
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'session', (s.id)::text,
  (NULL)::text, (s.user_id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', 'provider_logout', 'provider', $3::text))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['session.ended']) AS event, ended s
)
SELECT EXISTS (SELECT FROM used) AS is_new,
((SELECT count(*) FROM ended) + (SELECT count(*) FROM ended_of_operators)
  + (SELECT count(*) FROM ended_of_developers))::int AS ended;

-- end_session
WITH ended AS (
  DELETE FROM sessions WHERE hash = $1 RETURNING id, user_id, provider_id, provider_id_token
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'session', (s.id)::text,
  (NULL)::text, (s.user_id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('provider', s.provider_id))
  FROM (SELECT ($2::jsonb || jsonb_build_object('actor_id', (SELECT user_id FROM ended)))::jsonb AS origin) AS o, unnest(ARRAY['login.ended']) AS event, ended s
)
SELECT user_id, provider_id, provider_id_token FROM ended;

-- end_session_of_user
WITH ended AS (
  DELETE FROM sessions WHERE user_id = $1 AND id = $2 RETURNING id, user_id
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'session', (s.id)::text,
  (NULL)::text, (s.user_id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', 'requested'))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['session.ended']) AS event, ended s
)
SELECT id FROM ended;

-- end_sessions_of_developer
WITH ended AS (
  DELETE FROM developer_sessions
  WHERE developer_id = $1::uuid AND CASE WHEN $2::bigint IS NULL THEN hash <> $3 ELSE id = $2 END
  RETURNING id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', ($1)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('sessions_ended', ended))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['developer.logged_out']) AS event, (SELECT count(*) AS ended FROM ended) AS sessions WHERE ended > 0
)
SELECT count(*)::int AS ended FROM ended;

-- end_sessions_of_operator
WITH ended AS (
  DELETE FROM operator_sessions
  WHERE operator_id = $1::uuid AND CASE WHEN $2::bigint IS NULL THEN hash <> $3 ELSE id = $2 END
  RETURNING id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'operator', ($1)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('sessions_ended', ended))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['operator.logged_out']) AS event, (SELECT count(*) AS ended FROM ended) AS sessions WHERE ended > 0
)
SELECT count(*)::int AS ended FROM ended;

-- end_webhook_leases
UPDATE webhook_messages SET next_attempt_at = now(), taken_by = NULL
WHERE id IN (SELECT id FROM webhook_messages
  WHERE taken_by = $1 AND next_attempt_at <= now() + interval '30 seconds'
  FOR NO KEY UPDATE SKIP LOCKED);

-- ended_grants_of_user
SELECT g.id, p.name AS partner_name, g.created_at, CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN g.expires_at ELSE g.revoked_at END AS ended_at,
CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'expiry' ELSE coalesce(g.revoked_for, g.revoked_by) END AS ended_by
FROM grants g JOIN partners p USING (client_id)
WHERE g.user_id = $1 AND NOT (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))
ORDER BY ended_at DESC, g.id DESC LIMIT 20;

-- erase_person
WITH person AS (
  SELECT * FROM users u WHERE u.id = $1 OR u.email_folded = $1 FOR UPDATE
), gone AS (
  DELETE FROM users u USING person WHERE u.id = person.id AND u.status = 'disabled' RETURNING u.id, u.firm_id
), facts AS (
  SELECT person.id, gone.id IS NOT NULL AS erased,
  (SELECT count(*)::int FROM grants g WHERE g.user_id = gone.id) AS grants,
  (SELECT count(*)::int FROM sessions s WHERE s.user_id = gone.id) AS sessions,
  (SELECT count(*)::int FROM account_access x WHERE x.user_id = gone.id) AS account_access
  FROM person LEFT JOIN gone ON true
), access AS (
  DELETE FROM account_access x USING gone WHERE x.user_id = gone.id
), mail AS (
  DELETE FROM outbox o USING person JOIN gone USING (id) WHERE o.kind = 'mail' AND o.payload->>'to' = person.email
), reader AS (
  UPDATE read_log_grants n SET user_id = $2 FROM gone WHERE n.user_id = gone.id
), record AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (gone.id)::text,
  (gone.firm_id)::text, (gone.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('grants', facts.grants, 'sessions', facts.sessions, 'account_access', facts.account_access))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['person.erased']) AS event, gone JOIN facts ON facts.erased
)
SELECT * FROM facts;

-- expire_connections
WITH page AS (
  SELECT id FROM connections WHERE id > $1::bigint ORDER BY id LIMIT 1000
), due AS (
  SELECT c.id FROM connections c
  WHERE c.id = ANY (ARRAY(SELECT id FROM page)) AND c.expired_at IS NULL AND c.revoked_at IS NULL
  AND c.refreshed_at < now() - interval '2592060 seconds' AND NOT EXISTS (SELECT FROM deployment WHERE accepts_tokens_ahead_until > now())
  ORDER BY c.grant_id, c.id FOR NO KEY UPDATE OF c SKIP LOCKED
), expired AS (
  UPDATE connections c SET expired_at = c.refreshed_at + interval '2592060 seconds'
  FROM due WHERE c.id = due.id RETURNING 1
)
SELECT count(*)::int AS expired FROM expired;

-- explain_refresh
SELECT c.grant_id, CASE
WHEN c.revoked_at IS NOT NULL THEN
CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
WHEN g.revoked_at IS NOT NULL THEN
CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
WHEN u.status <> 'active' THEN 'user_disabled' END AS ended, $4::timestamptz <= now() AS expired, $3::bigint > c.generation AS ahead
FROM connections c JOIN grants g ON g.id = c.grant_id JOIN users u ON u.id = g.user_id
WHERE c.refresh_locator_hash = $2 AND c.client_id = $1;

-- export_person
WITH person AS (SELECT * FROM users u WHERE u.id = $1 OR u.email_folded = $1)
SELECT json_build_object('id', u.id, 'firm_id', u.firm_id, 'email', u.email, 'name', u.name, 'role', u.role, 'status', u.status,
  'disabled_by_operator_at', u.disabled_by_operator_at, 'has_password', u.password_hash IS NOT NULL,
  'has_authenticator_app', EXISTS (SELECT FROM totp_secrets t WHERE t.user_id = u.id)) AS user,
(SELECT coalesce(json_agg(entry), '[]') FROM (SELECT s.auth_time, s.expires_at FROM sessions s WHERE s.user_id = u.id ORDER BY s.auth_time) AS entry) AS sessions,
(SELECT coalesce(json_agg(entry), '[]') FROM (SELECT i.provider_id, i.sub, i.linked_at, i.last_login_at FROM identities i WHERE i.user_id = u.id ORDER BY i.provider_id) AS entry) AS identities,
(SELECT coalesce(json_agg(entry), '[]') FROM (SELECT k.name, k.created_at, k.last_used_at FROM passkeys k WHERE k.user_id = u.id ORDER BY k.created_at) AS entry) AS passkeys,
(SELECT coalesce(json_agg(entry), '[]') FROM (SELECT x.account_id, x.household_id FROM account_access x WHERE x.user_id = u.id ORDER BY x.household_id, x.account_id) AS entry)
AS account_access,
(SELECT coalesce(json_agg(entry), '[]') FROM (SELECT g.id, g.client_id, p.name AS partner_name, g.subject, g.created_at, g.last_used_at, g.expires_at, g.revoked_at,
    g.revoked_by
    FROM grants g JOIN partners p USING (client_id) WHERE g.user_id = u.id ORDER BY g.id) AS entry) AS grants,
(SELECT coalesce(json_agg(entry), '[]') FROM (SELECT a.at, a.event, a.actor_kind, a.actor_id, a.via, a.address, a.user_agent, a.request_id, a.target_kind, a.target_id,
    a.client_id, a.details
    FROM audit_log a WHERE a.user_id = u.id OR (a.actor_kind = 'user' AND a.actor_id = u.id) ORDER BY a.at DESC LIMIT 100000) AS entry) AS audit,
(SELECT coalesce(json_agg(entry), '[]') FROM (SELECT iso_date(l.day) AS day, n.grant_id, n.client_id, n.partner_name, l.reads,
    (SELECT json_agg(h.household_id ORDER BY h.number)
      FROM unnest(l.households) AS part, household_numbers h
      WHERE h.number >= lower(part) AND h.number < upper(part)) AS households
    FROM read_log_grants n JOIN read_log l ON l.grant_id = n.grant_id
    WHERE n.user_id = u.id ORDER BY l.day DESC, n.grant_id DESC, l.reads LIMIT 100000) AS entry) AS reads,
(SELECT coalesce(json_agg(entry), '[]') FROM (SELECT l.at, l.request_id, g.client_id, l.grant_id, k.method, k.route, l.status, k.code, k.outcome, l.ms
    FROM grants g JOIN request_log l ON l.grant_id = g.id JOIN request_kinds k ON k.id = l.kind_id
    WHERE g.user_id = u.id ORDER BY l.at DESC LIMIT 100000) AS entry) AS requests
FROM person u;

-- find-user-facts
SELECT u.id, u.email, u.name, u.firm_id, u.role, u.status, u.disabled_by_operator_at, f.name AS firm_name, r.sees, u.password_hash IS NOT NULL AS has_password,
(SELECT count(*)::integer FROM sessions s WHERE s.user_id = u.id AND s.expires_at > now()) AS sessions,
(SELECT count(*)::integer FROM grants g WHERE g.user_id = u.id AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))) AS live_grants,
(SELECT count(*)::integer FROM passkeys k WHERE k.user_id = u.id) AS passkeys,
EXISTS (SELECT FROM totp_secrets t WHERE t.user_id = u.id) AS has_totp,
coalesce((SELECT cardinality(c.hashes) FROM recovery_codes c WHERE c.user_id = u.id), 0) AS recovery_codes
FROM users u JOIN firms f ON f.id = u.firm_id JOIN roles r ON r.name = u.role
WHERE u.id = $1 OR u.email_folded = $1;

-- find_access_facts
WITH caller AS (
  SELECT u.id AS user_id, u.name, u.status, u.disabled_by_operator_at, u.role, r.sees, u.firm_id, u.sees_since
  FROM users u JOIN roles r ON r.name = u.role WHERE u.id = $1 OR u.email_folded = $1
)
SELECT caller.user_id, caller.name AS user_name, caller.status, caller.disabled_by_operator_at, caller.role, caller.sees,
caller.firm_id, caller.sees_since, h.id AS household_id, h.name AS household_name, h.firm_id AS household_firm_id,
coalesce((
    h.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
        SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id OFFSET 0))), false) AS sees_household,
(SELECT count(*)::int FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id) AS access_rows,
(SELECT changed_at FROM household_changes c WHERE c.firm_id = caller.firm_id AND c.household_id = h.id) AS household_changed_at,
(SELECT changed_at FROM access_changes c WHERE c.user_id = caller.user_id AND c.household_id = h.id) AS access_changed_at,
(SELECT count(*)::int FROM grants g WHERE g.user_id = caller.user_id AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))) AS live_grants,
(SELECT coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'status', a.status, 'has_access', a.has_access, 'shown', a.shown)
      ORDER BY a.id), '[]')
  FROM (SELECT a.id, a.status, coalesce(a.status = 'active' AND (
        a.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
            SELECT FROM account_access x
            WHERE x.user_id = caller.user_id AND x.household_id = a.household_id AND x.account_id = a.id OFFSET 0))), false) AS shown,
    EXISTS (SELECT FROM account_access x
      WHERE x.user_id = caller.user_id AND x.household_id = a.household_id AND x.account_id = a.id) AS has_access
    FROM accounts a WHERE a.household_id = h.id ORDER BY a.household_id, a.id LIMIT 200) AS a) AS accounts
FROM (SELECT) AS always LEFT JOIN caller ON true LEFT JOIN households h ON h.id = $2;

-- find_access_row
SELECT t.user_id, t.account_id, t.household_id, t.source FROM account_access t WHERE t.user_id = $1 AND t.account_id = $2 AND t.household_id = (SELECT household_id FROM accounts WHERE id = $2);

-- find_account_row
SELECT t.id, t.household_id, t.name, t.type, t.number_masked, t.custodian, t.currency, t.status, iso_date(t.opened_on) AS opened_on, t.source FROM accounts t WHERE t.id = $1;

-- find_api_key
SELECT k.id, k.name, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired' ELSE 'live' END AS state, k.scopes, coalesce(k.last_used_at <= now() - interval '1 minute', true) AS is_used_again
FROM api_keys k WHERE k.hash = $1;

-- find_audit_range
SELECT min(place)::text AS first, max(place)::text AS last
FROM audit_chain
WHERE ($1::timestamptz IS NULL OR audit_at >= $1) AND ($2::timestamptz IS NULL OR audit_at < $2)
AND place > $3::bigint;

-- find_audit_record
SELECT a.id::text AS id, to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, a.transaction::text AS transaction, a.event AS event, a.actor_kind AS actor_kind, a.actor_id AS actor_id, a.actor_name AS actor_name, a.via AS via, a.address AS address, a.user_agent AS user_agent, a.request_id AS request_id, a.target_kind AS target_kind, a.target_id AS target_id, a.firm_id AS firm_id, a.user_id AS user_id, a.client_id AS client_id, a.details AS details, (SELECT c.place::text FROM audit_chain c WHERE c.audit_id = a.id) AS place
FROM audit_log a WHERE a.at = $1::timestamptz AND a.id = $2::bigint;

-- find_client_keys
SELECT coalesce(jwks->'keys', '[]') AS keys FROM partners WHERE client_id = $1;

-- find_consequences_of_deletion
WITH live AS (SELECT g.id, g.user_id, g.client_id FROM grants g WHERE g.client_id = $1 AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true)))
SELECT client_id, name, (SELECT count(*)::int FROM live) AS connected_users,
(SELECT count(*)::int FROM live JOIN connections c ON c.grant_id = live.id WHERE c.revoked_at IS NULL)
AS connections
FROM partners WHERE client_id = $1;

-- find_credential
SELECT client_id FROM partners
WHERE client_id = $1 AND $2::text = ANY (auth_methods)
AND $3::bytea = ANY (CASE $2 WHEN 'private_key_jwt' THEN key_thumbprints ELSE secret_hashes END);

-- find_developer_identity
WITH seen AS (
  UPDATE developer_identities SET last_login_at = now() WHERE provider_id = $1 AND sub = $2 RETURNING developer_id
)
SELECT o.id::text, o.name, o.email, o.login_version::text, o.status = 'active' AS active FROM seen JOIN developers o ON o.id = seen.developer_id;

-- find_developer_key
SELECT k.id, k.name, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired' ELSE 'live' END AS state, k.client_id, k.role, k.created_by, coalesce(k.last_used_at <= now() - interval '1 minute', true) AS is_used_again FROM developer_keys k WHERE k.hash = $1;

-- find_developer_link
SELECT o.id::text, o.name, o.email FROM developer_links l JOIN developers o ON o.id = l.developer_id
WHERE l.hash = $1 AND l.expires_at > now() AND o.status = 'active';

-- find_developer_session
WITH found AS (
  SELECT s.hash, o.id, o.name, o.email, o.login_version, s.provider_id,
  s.proved_at > now() - interval '15 minutes' AS is_recent
  FROM developer_sessions s JOIN developers o ON o.id = s.developer_id
  WHERE s.hash = $1 AND s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes' AND s.login_version = o.login_version AND o.status = 'active'
  AND (s.provider_id IS NULL OR EXISTS (SELECT FROM identity_providers p WHERE p.id = s.provider_id AND p.developers))
), seen AS (
  UPDATE developer_sessions s SET last_seen_at = now()
  FROM found WHERE s.hash = found.hash AND s.last_seen_at < now() - interval '1 minute'
), visited AS (
  UPDATE developer_memberships m SET last_seen_at = now() FROM found
  WHERE m.developer_id = found.id AND m.client_id = $2
  AND coalesce(m.last_seen_at, '-infinity') < now() - interval '1 minute'
)
SELECT found.id::text, found.name, found.email, found.login_version::text, found.is_recent, found.provider_id, CASE WHEN p.client_id IS NULL THEN NULL
ELSE jsonb_build_object('clientId', p.client_id, 'name', p.name, 'role', m.role) END AS app
FROM found LEFT JOIN developer_memberships m ON m.developer_id = found.id AND m.client_id = $2
LEFT JOIN partners p ON p.client_id = m.client_id;

-- find_developer_totp
SELECT sealed FROM developer_totp_secrets WHERE developer_id = $1;

-- find_factor_facts
SELECT
EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id) AS has_passkey,
EXISTS (SELECT FROM totp_secrets t WHERE t.user_id = u.id) AS has_totp,
(SELECT f.require_acr FROM firms f WHERE f.id = u.firm_id) AS firm_require_acr,
(SELECT r.require_acr FROM roles r WHERE r.name = u.role) AS role_require_acr,
(SELECT p.require_acr FROM partners p WHERE p.client_id = $3) AS partner_require_acr
FROM users u WHERE u.id = $1 AND u.login_version = $2 AND u.status = 'active';

-- find_firm_row
SELECT t.id, t.name, t.source FROM firms t WHERE t.id = $1;

-- find_grant
SELECT g.id, g.user_id, u.email, g.client_id, p.name AS partner_name, coalesce(
  (SELECT c.redirect_uri FROM connections c WHERE c.grant_id = g.id ORDER BY c.created_at DESC, c.id DESC LIMIT 1),
  p.redirect_uris[1]) AS redirect_uri, g.created_at,
g.expires_at, CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN g.expires_at ELSE g.revoked_at END AS revoked_at,
CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'expiry' ELSE g.revoked_by END AS revoked_by FROM grants g JOIN partners p USING (client_id) JOIN users u ON u.id = g.user_id WHERE g.id = $1;

-- find_household
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
)
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) FROM caller) AS visibility_version,
(SELECT h.json FROM caller, households h WHERE h.id = $2 AND (
    h.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
        SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id OFFSET 0)))) AS household;

-- find_household_row
SELECT t.id, t.firm_id, t.name, t.source FROM households t WHERE t.id = $1;

-- find_households_by_text
SELECT id, name, firm_id FROM households WHERE id = $1 OR strpos(name_folded, $2) > 0
ORDER BY id <> $1, name, id LIMIT $3;

-- find_identity
WITH found AS (
  SELECT i.provider_id, i.sub, u.id AS user_id, u.email, u.login_version,
  u.status = 'active' AND (p.firms = '{}' OR u.firm_id = ANY (p.firms)) AS may_log_in
  FROM identities i JOIN users u ON u.id = i.user_id JOIN identity_providers p ON p.id = i.provider_id
  WHERE i.provider_id = $1 AND i.sub = $2
), seen AS (
  UPDATE identities i SET last_login_at = now() FROM found
  WHERE i.provider_id = found.provider_id AND i.sub = found.sub AND found.may_log_in
  RETURNING 1
), forgiven AS (
  UPDATE login_failures SET count = count - 1 WHERE key = $3 AND EXISTS (SELECT FROM seen)
)
SELECT user_id, email, login_version, may_log_in FROM found;

-- find_key_algorithm
SELECT algorithm FROM signing_keys WHERE kid = $1;

-- find_link
SELECT u.id, u.name, u.email, (EXISTS (SELECT FROM passkeys WHERE user_id = u.id) OR EXISTS (SELECT FROM totp_secrets WHERE user_id = u.id)) AS has_second_factor
FROM password_links l JOIN users u ON u.id = l.user_id JOIN firms f ON f.id = u.firm_id
WHERE l.hash = $1 AND l.expires_at > now() AND l.login_version = u.login_version AND u.status = 'active' AND f.local_passwords;

-- find_listed_partner
SELECT client_id, name, status, redirect_uris, require_pkce, auth_methods,
ARRAY(SELECT key->>'kid' FROM jsonb_array_elements(jwks->'keys') WITH ORDINALITY AS k (key, place) ORDER BY place) AS key_ids,
id_token_alg, id_token_on_refresh, post_logout_redirect_uris, site, logo, privacy_url, description, limits,
grant_lifetime_days, require_acr, created_at, cardinality(secret_hashes) AS live_secrets FROM partners WHERE client_id = $1;

-- find_logo
SELECT logo_image AS image FROM partners WHERE logo = $1 LIMIT 1;

-- find_opened_going_live_request
SELECT client_id, opened_at FROM going_live_requests WHERE jti = $1;

-- find_operator_identity
WITH seen AS (
  UPDATE operator_identities SET last_login_at = now() WHERE provider_id = $1 AND sub = $2 RETURNING operator_id
)
SELECT o.id::text, o.name, o.email, o.login_version::text, o.status = 'active' AS active FROM seen JOIN operators o ON o.id = seen.operator_id;

-- find_operator_link
SELECT o.id::text, o.name, o.email FROM operator_links l JOIN operators o ON o.id = l.operator_id
WHERE l.hash = $1 AND l.expires_at > now() AND o.status = 'active';

-- find_operator_session
WITH found AS (
  SELECT s.hash, o.id, o.name, o.email, o.login_version, s.provider_id, o.role,
  s.proved_at > now() - interval '15 minutes' AS is_recent
  FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
  WHERE s.hash = $1 AND s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes' AND s.login_version = o.login_version AND o.status = 'active'
  AND (s.provider_id IS NULL OR EXISTS (SELECT FROM identity_providers p WHERE p.id = s.provider_id AND p.operators))
), seen AS (
  UPDATE operator_sessions s SET last_seen_at = now()
  FROM found WHERE s.hash = found.hash AND s.last_seen_at < now() - interval '1 minute'
)
SELECT found.id::text, found.name, found.email, found.login_version::text, found.is_recent, found.provider_id, found.role
FROM found;

-- find_operator_totp
SELECT sealed FROM operator_totp_secrets WHERE operator_id = $1;

-- find_own_grant
SELECT p.name AS partner_name,
coalesce((SELECT set_size(range_agg(l.households)) FROM read_log l
    WHERE l.grant_id = g.id AND l.day >= $3::date), 0)::float8 AS households
FROM grants g JOIN partners p USING (client_id) WHERE g.id = $1::bigint AND g.user_id = $2;

-- find_partner
SELECT client_id, name, status, redirect_uris, require_pkce, auth_methods,
ARRAY(SELECT key->>'kid' FROM jsonb_array_elements(jwks->'keys') WITH ORDINALITY AS k (key, place) ORDER BY place) AS key_ids,
id_token_alg, id_token_on_refresh, post_logout_redirect_uris, site, logo, privacy_url, description, limits,
grant_lifetime_days, require_acr FROM partners WHERE client_id = $1;

-- find_partner_grant
SELECT g.id, g.subject, g.created_at, g.last_used_at, g.expires_at, CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN g.expires_at ELSE g.revoked_at END AS ended_at,
CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change'
WHEN g.revoked_by = 'user' THEN 'ended_by_user'
WHEN g.revoked_by = 'operator' THEN 'ended_by_operator'
WHEN g.revoked_at IS NOT NULL THEN 'ended'
WHEN u.status <> 'active' THEN 'user_disabled' END AS cause FROM grants g JOIN users u ON u.id = g.user_id WHERE g.client_id = $1 AND g.id = $2;

-- find_partners_by_text
SELECT client_id, name, status, created_at FROM partners
WHERE client_id = $1 OR strpos(lower(name), lower($1)) > 0 ORDER BY name, client_id LIMIT $2;

-- find_passkey
SELECT k.credential_id, k.public_key, k.user_id, u.passkey_handle, u.email
FROM passkeys k JOIN users u ON u.id = k.user_id WHERE k.credential_id = $1;

-- find_passkey_owner
SELECT passkey_handle, email, name FROM users WHERE id = $1;

-- find_password_facts
SELECT u.password_hash IS NOT NULL AS has_password, f.local_passwords
FROM users u JOIN firms f ON f.id = u.firm_id WHERE u.id = $1;

-- find_password_hashes
SELECT id, password_hash FROM users WHERE id = ANY ($1::text[]);

-- find_pending_developer
SELECT name, email FROM developers WHERE id = $1::uuid AND login_version = $2::uuid AND status = 'active';

-- find_pending_operator
SELECT name, email FROM operators WHERE id = $1::uuid AND login_version = $2::uuid AND status = 'active';

-- find_provider
SELECT p.id, p.name, p.issuer, p.client_id, p.auth_method, p.credential, p.public_jwk, p.claim, p.matches, p.scope,
p.acr_values, p.creates_firm IS NOT NULL AND p.creates_role IS NOT NULL AS creates_users,
EXISTS (SELECT FROM firms f WHERE f.local_passwords AND (p.firms = '{}' OR f.id = ANY (p.firms)))
AS allows_passwords FROM identity_providers p WHERE p.id = $1;

-- find_provider_of_domain
SELECT p.id, p.name, p.issuer, p.client_id, p.auth_method, p.credential, p.public_jwk, p.claim, p.matches, p.scope,
p.acr_values, p.creates_firm IS NOT NULL AND p.creates_role IS NOT NULL AS creates_users,
EXISTS (SELECT FROM firms f WHERE f.local_passwords AND (p.firms = '{}' OR f.id = ANY (p.firms)))
AS allows_passwords FROM identity_providers p JOIN identity_provider_domains d ON d.provider_id = p.id WHERE d.domain = $1;

-- find_requests
SELECT l.at, to_char(l.at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS place, l.request_id, k.method, k.route, l.status, l.ms,
k.code, k.outcome, k.authenticated, coalesce(g.client_id, l.client_id) AS client_id, p.name AS partner_name,
l.grant_id, g.user_id, g.subject, l.detail
FROM (
  SELECT l.* FROM request_log l LEFT JOIN grants owner ON owner.id = l.grant_id
  WHERE hashtextextended(l.request_id, 0) = hashtextextended($6, 0) AND l.request_id = $6 AND l.at >= coalesce($1::timestamptz, '-infinity')
  AND l.at < coalesce($2::timestamp AT TIME ZONE 'UTC', 'infinity') AND l.status BETWEEN $3::int AND $4::int
  AND ($8::text IS NULL OR l.kind_id = ANY (ARRAY(SELECT id FROM request_kinds WHERE route = $8)))
  AND ($7::text IS NULL OR $7 = coalesce(owner.client_id, l.client_id)) ORDER BY l.at DESC LIMIT $5::int) AS l
JOIN request_kinds k ON k.id = l.kind_id
LEFT JOIN grants g ON g.id = l.grant_id
LEFT JOIN partners p ON p.client_id = coalesce(g.client_id, l.client_id)
ORDER BY l.at DESC;

-- find_role_row
SELECT t.name, t.sees, t.source FROM roles t WHERE t.name = $1;

-- find_sandbox
SELECT a.client_id, a.client_secret FROM firms f LEFT JOIN sandbox_application a ON true WHERE f.id = $1 LIMIT 1;

-- find_sandbox_clock
SELECT seconds_ahead::float AS seconds_ahead FROM sandbox_clocks WHERE access_locator_hash = $1
UNION ALL
SELECT seconds_ahead::float FROM sandbox_clocks WHERE refresh_locator_hash = $1;

-- find_session
WITH found AS (
  SELECT s.hash, s.user_id, u.name AS user_name, u.email, s.auth_time, s.auth_time_is_known, s.request_id, s.acr, s.amr,
  s.login_version,
  EXISTS (SELECT FROM passkeys k WHERE k.user_id = u.id) AS has_passkey,
  EXISTS (SELECT FROM totp_secrets t WHERE t.user_id = u.id) AS has_totp,
  (SELECT f.require_acr FROM firms f WHERE f.id = u.firm_id) AS firm_require_acr,
  (SELECT r.require_acr FROM roles r WHERE r.name = u.role) AS role_require_acr
  FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.hash = $1 AND s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes' AND s.login_version = u.login_version AND u.status = 'active'
), seen AS (
  UPDATE sessions s SET last_seen_at = now()
  FROM found WHERE s.hash = found.hash AND s.last_seen_at < now() - interval '1 minute'
)
SELECT user_id, user_name, email, auth_time, auth_time_is_known, request_id, acr, amr, login_version,
has_passkey, has_totp, firm_require_acr, role_require_acr,
EXISTS (SELECT FROM grants g
  WHERE g.user_id = found.user_id AND g.client_id = $2 AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))) AS has_grant,
(SELECT g.subject FROM grants g WHERE g.user_id = found.user_id AND g.client_id = $2 LIMIT 1) AS subject
FROM found;

-- find_shared_data
WITH
caller AS (
  SELECT u.id AS user_id, u.firm_id, r.sees FROM users u JOIN roles r ON r.name = u.role WHERE u.id = $1
), accounts AS (SELECT seen.* FROM caller CROSS JOIN LATERAL (SELECT count(*)::int AS counted FROM (
      SELECT a.firm_id AS scope, a.household_id, a.id, a.json FROM accounts a
      WHERE (a.firm_id, a.household_id, a.id) > (caller.firm_id, '', '') AND a.firm_id <= caller.firm_id
      AND a.status = 'active'
      ORDER BY a.firm_id, a.household_id, a.id LIMIT 10000 + 1) AS account) AS seen WHERE caller.sees = 'firm'
  UNION ALL
  SELECT seen.* FROM caller CROSS JOIN LATERAL (SELECT count(*)::int AS counted FROM (
      SELECT scope, household_id, id, json
      FROM (SELECT x.user_id AS scope, x.household_id, x.account_id AS id,
        (SELECT a.json FROM accounts a
          WHERE a.household_id = x.household_id AND a.id = x.account_id AND a.status = 'active') AS json
        FROM account_access x
        WHERE (x.user_id, x.household_id, x.account_id) > (caller.user_id, '', '')
        AND x.user_id <= caller.user_id AND x.firm_id = caller.firm_id
        ORDER BY x.user_id, x.household_id, x.account_id LIMIT 10000 + 1) AS own
      WHERE json IS NOT NULL
      ORDER BY scope, household_id, id LIMIT 10000 + 1) AS account) AS seen WHERE caller.sees = 'granted')
SELECT (SELECT households FROM caller CROSS JOIN LATERAL (SELECT coalesce(sum(households), 0)::float8 AS households FROM listing_ranges
    WHERE firm_id = caller.firm_id AND user_id = CASE caller.sees WHEN 'firm' THEN '' ELSE caller.user_id END) AS listing),
ARRAY(SELECT name FROM (SELECT seen.* FROM caller CROSS JOIN LATERAL (
      SELECT h.firm_id AS scope, h.id, coalesce(h.name, h.id) AS name FROM households h
      WHERE (h.firm_id, h.id) > (caller.firm_id, '') AND h.firm_id <= caller.firm_id
      ORDER BY h.firm_id, h.id LIMIT 3) AS seen WHERE caller.sees = 'firm'
    UNION ALL
    SELECT seen.* FROM caller CROSS JOIN LATERAL (
      SELECT caller.user_id AS scope, h.id, coalesce(h.name, h.id) AS name FROM households h
      WHERE h.firm_id = caller.firm_id AND h.id = ANY (ARRAY(SELECT household_id FROM (
            SELECT DISTINCT user_id, household_id FROM account_access
            WHERE (user_id, household_id) > (caller.user_id, '') AND user_id <= caller.user_id
            AND firm_id = caller.firm_id
            ORDER BY user_id, household_id LIMIT 3) AS own))) AS seen WHERE caller.sees = 'granted') AS first ORDER BY scope, id) AS first_names,
accounts.counted AS accounts,
accounts.counted > 10000 OR caller.sees = 'granted' AND EXISTS (
  SELECT FROM account_access x
  WHERE x.user_id = caller.user_id AND x.firm_id = caller.firm_id OFFSET 10000
) AS more_accounts
FROM caller, accounts;

-- find_subject
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
)
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT subject FROM caller) AS subject;

-- find_totp_secret
SELECT sealed FROM totp_secrets WHERE user_id = $1;

-- find_unmerged
SELECT EXISTS (
  SELECT FROM read_log WHERE NOT merged GROUP BY grant_id, day HAVING count(*) >= 100 OR day < (now() AT TIME ZONE 'UTC')::date
) AS found;

-- find_used_secret
SELECT key_id, current_since, auth_url FROM secrets s
WHERE key_id = $1 AND NOT EXISTS (
  SELECT FROM secrets n WHERE n.current_since > s.current_since AND n.current_since < now() - interval '31 days');

-- find_user_row
SELECT t.id, t.firm_id, t.email, t.name, t.role, t.status, to_char(t.disabled_by_operator_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS disabled_by_operator_at, t.source FROM users t WHERE t.id = $1;

-- find_user_to_change
SELECT id, firm_id, email, name, role, status FROM users WHERE id = $1 FOR NO KEY UPDATE;

-- find_users_by_text
SELECT id, email, name, firm_id, role, status, disabled_by_operator_at FROM users
WHERE id = $1 OR strpos(email_folded, $2) > 0 OR strpos(lower(name), lower($1)) > 0
ORDER BY id <> $1, name, id LIMIT $3;

-- find_webhook_message
SELECT m.id, m.endpoint_id, m.type, m.grant_id::text AS grant_id, m.created_at,
coalesce(m.outcome, 'waiting') AS state, m.attempts, m.next_attempt_at, m.finished_at,
last.status AS last_status, last.fault AS last_fault, m.data, (SELECT coalesce(jsonb_agg(jsonb_build_object(
        'number', a.number, 'at', to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'duration_ms', a.duration_ms,
        'status', a.status, 'fault', a.fault, 'response', a.response) ORDER BY a.number), '[]')
  FROM (SELECT * FROM webhook_attempts WHERE message_id = m.id
    ORDER BY number DESC LIMIT 100) AS a) AS attempts_made
FROM webhook_messages m JOIN webhook_endpoints e ON e.id = m.endpoint_id LEFT JOIN LATERAL (SELECT a.status, a.fault FROM webhook_attempts a WHERE a.message_id = m.id
  ORDER BY a.number DESC LIMIT 1) AS last ON true
WHERE e.client_id = $1 AND m.id = $2;

-- forget_changed_passwords
UPDATE users SET imported_hash_digest = NULL
WHERE firm_id = ANY ($1) AND password_hash IS DISTINCT FROM $2 AND imported_hash_digest IS NOT NULL
RETURNING id;

-- forget_secrets
DELETE FROM secrets;

-- forgive_login
WITH source AS (UPDATE login_failures SET count = count - 1 WHERE key = $1 RETURNING key)
DELETE FROM login_failures WHERE key = $2 AND (SELECT count(*) FROM source) >= 0
RETURNING count;

-- going_live_developers
SELECT d.email, d.name, m.role,
EXISTS (SELECT FROM developer_totp_secrets t WHERE t.developer_id = d.id)
OR EXISTS (SELECT FROM developer_identities i WHERE i.developer_id = d.id) AS is_protected
FROM developer_memberships m JOIN developers d ON d.id = m.developer_id
WHERE m.client_id = $1 AND d.status = 'active' AND m.last_seen_at IS NOT NULL ORDER BY m.created_at, d.email_folded;

-- going_live_facts
WITH own_grants AS (
  SELECT id, user_id FROM grants WHERE client_id = $1
), latest AS (
  SELECT c.code_challenge, c.created_at FROM connections c JOIN own_grants g ON g.id = c.grant_id
  WHERE c.redemptions > 0 ORDER BY c.created_at DESC LIMIT 1
), hours AS (
  SELECT hour, kind, calls, refused + failed AS unsuccessful FROM call_hours
  WHERE client_id = $1 AND hour > now() - interval '7 days'
), counted AS (
  SELECT coalesce(sum(calls), 0)::int AS calls, coalesce(sum(unsuccessful), 0)::int AS refused_calls,
  coalesce(min(hour) FILTER (WHERE unsuccessful > 0) <= max(hour) FILTER (WHERE calls > unsuccessful), false)
  AS has_recovered,
  coalesce(sum(calls) FILTER (WHERE kind LIKE 'deprecated %'), 0)::int AS deprecated_calls
  FROM hours
), endpoints AS (
  SELECT e.id, e.events, EXISTS (
    SELECT FROM webhook_messages m WHERE m.endpoint_id = e.id AND m.outcome = 'delivered') AS is_verified
  FROM webhook_endpoints e WHERE e.client_id = $1 AND e.status = 'active'
)
SELECT p.client_id, p.name, p.redirect_uris, p.require_pkce, p.auth_methods, p.id_token_alg, p.id_token_on_refresh,
p.post_logout_redirect_uris, p.site, p.logo, p.privacy_url, p.description, p.require_acr, p.jwks::text AS jwks,
p.key_thumbprints, p.logo_image, cardinality(p.secret_hashes) AS live_secrets, (SELECT count(DISTINCT user_id)::int FROM own_grants) AS connected_users,
EXISTS (SELECT FROM connections c JOIN own_grants g ON g.id = c.grant_id WHERE c.generation > 1) AS has_refreshed,
(SELECT code_challenge IS NOT NULL FROM latest) AS used_pkce, counted.*,
(SELECT count(*)::int FROM endpoints) AS endpoints,
(SELECT count(*)::int FROM endpoints WHERE is_verified) AS verified_endpoints,
ARRAY(SELECT DISTINCT unnest(events) FROM endpoints ORDER BY 1) AS webhook_events
FROM partners p CROSS JOIN counted WHERE p.client_id = $1;

-- grants_by_period
SELECT to_timestamp(floor(extract(epoch FROM created_at) / $2::int) * $2::int) AS at, count(*)::int AS grants
FROM grants WHERE created_at >= $1 GROUP BY 1 ORDER BY 1;

-- insert-user
WITH facts AS (
  SELECT EXISTS (SELECT FROM firms WHERE id = $2) AS firm_exists,
  EXISTS (SELECT FROM roles WHERE name = $6) AS role_exists,
  EXISTS (SELECT FROM users WHERE id = $1) AS id_taken,
  EXISTS (SELECT FROM users WHERE email_folded = $4) AS email_taken
), created AS (
  INSERT INTO users (id, firm_id, email, email_folded, name, role, status, source)
  SELECT $1, $2, $3, $4, $5, $6, 'active', 'operator'
  FROM facts WHERE firm_exists AND role_exists AND NOT id_taken AND NOT email_taken
  ON CONFLICT DO NOTHING
  RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (created.id)::text,
  (created.firm_id)::text, (created.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('after', jsonb_build_object('firm_id', created.firm_id, 'email', created.email, 'name', created.name, 'role', created.role, 'status', created.status)))
  FROM (SELECT ($7)::jsonb AS origin) AS o, unnest(ARRAY['user.created']) AS event, created
)
SELECT facts.*, EXISTS (SELECT FROM created) AS created FROM facts;

-- insert_api_key
WITH k AS (
  INSERT INTO api_keys (id, name, hash, scopes, expires_at)
  VALUES ($1, $2, $3, $4, least(now() + make_interval(days => $5::integer),
      (SELECT maker.expires_at FROM api_keys maker
        WHERE $6::jsonb->>'actor_kind' = 'api_key' AND maker.id = $6::jsonb->>'actor_id')))
  RETURNING *
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'api_key', (k.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('name', k.name, 'scopes', to_jsonb(k.scopes), 'expires_at', k.expires_at))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['api_key.created']) AS event, k
)
SELECT k.id, k.name, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired' ELSE 'live' END AS state, k.scopes FROM k;

-- insert_audit_chain
INSERT INTO audit_chain (place, audit_at, audit_id, hash, looked_to)
SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::bytea[], $5::xid8[]);

-- insert_audit_checkpoint
INSERT INTO audit_checkpoints (number, place, hash, at, key_id, signature) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING RETURNING number::text;

-- insert_audit_event
INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind, target_id,
  firm_id, user_id, client_id, details)
SELECT $2, o->>'actor_kind', o->>'actor_id', o->>'actor_name', o->>'via', o->>'address', o->>'user_agent', o->>'request_id',
$3, $4, $5, $6, $7, $8::jsonb
FROM (SELECT $1::jsonb AS o) AS origin;

-- insert_developer_key
WITH p AS (
  SELECT client_id FROM partners WHERE client_id = $2 FOR NO KEY UPDATE
), k AS (
  INSERT INTO developer_keys (id, client_id, name, role, hash, created_by, expires_at)
  SELECT $1, p.client_id, $3, $4, $5,
  jsonb_build_object('kind', $7::jsonb->>'actor_kind', 'id', $7::jsonb->>'actor_id',
    'name', $7::jsonb->>'actor_name'),
  least(now() + make_interval(days => $6::integer),
    (SELECT maker.expires_at FROM developer_keys maker
      WHERE $7::jsonb->>'actor_kind' = 'developer_key' AND maker.id = $7::jsonb->>'actor_id'))
  FROM p WHERE live_developer_keys_of(p.client_id) < 100
  RETURNING *
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer_key', (k.id)::text,
  (NULL)::text, (NULL)::text, (k.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('name', k.name, 'role', k.role, 'expires_at', k.expires_at))
  FROM (SELECT ($7)::jsonb AS origin) AS o, unnest(ARRAY['developer_key.created']) AS event, k
)
SELECT k.id, k.name, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired' ELSE 'live' END AS state, k.client_id, k.role, k.created_by FROM k;

-- insert_failed_logins
INSERT INTO audit_log (event, actor_kind, via, address, target_kind, target_id, firm_id, user_id, details)
SELECT 'login.failed', 'user', 'page', e.address, 'user', coalesce(e.user_id, 'digest:' || e.account_digest, 'unknown'),
(SELECT u.firm_id FROM users u WHERE u.id = e.user_id), e.user_id,
jsonb_build_object('method', e.method, 'reason', e.reason, 'count', e.count, 'first', e.first, 'last', e.last)
FROM jsonb_to_recordset($1::jsonb) AS e (method text, reason text, address text, user_id text, account_digest text,
  count integer, first text, last text);

-- insert_operator
WITH created AS (
  INSERT INTO operators (email, email_folded, name, role) VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING RETURNING id, email, name, role
), link AS (
  INSERT INTO operator_links (operator_id, hash, expires_at)
  SELECT id, $5::bytea, now() + interval '24 hours' FROM created
  ON CONFLICT (operator_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at
  RETURNING expires_at
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'invitation', 'to', u.email, 'name', u.name,
    'language', 'en',
    'facts', jsonb_build_object('link', $6::text, 'until', link.expires_at)),
  now() + interval '24 hours'
  FROM created u, link WHERE $6::text IS NOT NULL
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'operator', (created.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('email', created.email, 'name', created.name, 'role', created.role))
  FROM (SELECT ($7)::jsonb AS origin) AS o, unnest(ARRAY['operator.created']) AS event, created
)
SELECT created.id::text, link.expires_at FROM created, link;

-- insert_partner
WITH created AS (
  INSERT INTO partners (client_id, name, redirect_uris, require_pkce, auth_methods, secret_hashes, jwks,
    key_thumbprints, id_token_alg, post_logout_redirect_uris, id_token_on_refresh, limits,
    grant_lifetime_days, site, logo, logo_image, privacy_url, description, require_acr)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
    nullif($14, ''), nullif($15, ''), $16, nullif($17, ''), nullif($18, ''), $19)
  ON CONFLICT (client_id) DO NOTHING RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'partner', (c.client_id)::text,
  (NULL)::text, (NULL)::text, (c.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('after', jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes)), 'request', $21::jsonb))
  FROM (SELECT ($20)::jsonb AS origin) AS o, unnest(ARRAY['partner.created']) AS event, created c
)
SELECT client_id FROM created;

-- insert_passkey
WITH answered AS (
  INSERT INTO used_challenges (hash, expires_at) VALUES ($2, $3) ON CONFLICT DO NOTHING RETURNING 1
), stored AS (
  INSERT INTO passkeys (credential_id, user_id, public_key, counter, transports, synced, backed_up, name)
  SELECT $4, u.id, $5, $6, $7, $8, $9, $10
  FROM users u, answered
  WHERE u.id = $1 AND u.status = 'active'
  AND (SELECT count(*) FROM passkeys k WHERE k.user_id = u.id) < 20
  ON CONFLICT DO NOTHING
  RETURNING id, user_id, name
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'factors_changed', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('change', 'passkey_added', 'at', now())),
  now() + interval '2 days'
  FROM stored JOIN users u ON u.id = stored.user_id WHERE $11::boolean
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (u.id)::text,
  (u.firm_id)::text, (u.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('method', 'passkey', 'passkey', stored.id, 'name', stored.name))
  FROM (SELECT ($12)::jsonb AS origin) AS o, unnest(ARRAY['user.factor_added']) AS event, stored JOIN users u ON u.id = user_id
)
SELECT user_id FROM stored;

-- insert_provider
WITH facts AS (
  SELECT EXISTS (SELECT FROM identity_providers WHERE id = $1) AS id_taken,
  (SELECT id FROM identity_providers WHERE issuer = $3) AS issuer_of,
  ARRAY(SELECT domain FROM identity_provider_domains
    WHERE domain = ANY ($15::text[]) ORDER BY domain) AS taken_domains,
  ARRAY(SELECT firm FROM unnest($10::text[] || $11::text) AS firm
    WHERE firm IS NOT NULL AND NOT EXISTS (SELECT FROM firms f WHERE f.id = firm)) AS unknown_firms,
  $12::text IS NULL OR EXISTS (SELECT FROM roles WHERE name = $12) AS role_exists
), created AS (
  INSERT INTO identity_providers (id, name, issuer, client_id, auth_method, credential, public_jwk, claim, matches, firms,
    creates_firm, creates_role, scope, acr_values)
  SELECT $1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, $10, $11, $12, $13, $14
  FROM facts
  WHERE NOT id_taken AND issuer_of IS NULL AND taken_domains = '{}' AND unknown_firms = '{}' AND role_exists
  ON CONFLICT DO NOTHING
  RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'provider', (p.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('after', jsonb_build_object('name', p.name, 'issuer', p.issuer, 'client_id', p.client_id, 'auth_method', p.auth_method, 'public_jwk', p.public_jwk, 'claim', p.claim, 'matches', p.matches, 'firms', p.firms, 'creates_firm', p.creates_firm, 'creates_role', p.creates_role, 'scope', p.scope, 'acr_values', p.acr_values) || jsonb_build_object('domains', $15::text[])))
  FROM (SELECT ($16)::jsonb AS origin) AS o, unnest(ARRAY['provider.added']) AS event, created p
), domains AS (
  INSERT INTO identity_provider_domains (domain, provider_id) SELECT unnest($15::text[]), id FROM created
)
SELECT facts.*, EXISTS (SELECT FROM created) AS created FROM facts;

-- insert_sandbox_application
INSERT INTO sandbox_application (client_id, client_secret) VALUES ($1, $2);

-- insert_signing_key
WITH created AS (
  INSERT INTO signing_keys (kid, algorithm, generation, public_jwk, private_jwk, created_at, signs_from)
  VALUES ($1, $2, $3, $4::jsonb, $5, now(),
    now() + CASE WHEN $3 = 1 THEN interval '0' ELSE interval '60 minutes' END)
  ON CONFLICT (algorithm, generation) DO NOTHING
  RETURNING kid, algorithm, generation, signs_from
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'signing_key', (k.kid)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('algorithm', k.algorithm, 'generation', k.generation, 'signs_from', k.signs_from))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['key.rotated']) AS event, created k
)
SELECT kid FROM created;

-- insert_webhook_endpoint
WITH partner AS (
  SELECT client_id FROM partners WHERE client_id = $1 FOR NO KEY UPDATE
), e AS (
  INSERT INTO webhook_endpoints (client_id, url, events, description)
  SELECT client_id, $2, $3::text[], $4 FROM partner WHERE endpoints_of(client_id) < 10 RETURNING *
), secret AS (
  INSERT INTO webhook_secrets (endpoint_id, kind, sealed, public_key) SELECT id, $5, $6, $7::bytea FROM e
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'webhook', (e.id)::text,
  (NULL)::text, (NULL)::text, (e.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('after', jsonb_build_object('events', e.events, 'description', e.description, 'status', e.status, 'disabled_for', e.disabled_for)
      || jsonb_build_object('url', substring(e.url FROM '^[^/]*//[^/?]*/') || '…')))
  FROM (SELECT ($8)::jsonb AS origin) AS o, unnest(ARRAY['webhook.added']) AS event, e
)
SELECT (SELECT id FROM e) AS id FROM partner;

-- insert_webhook_test
WITH e AS (
  SELECT * FROM webhook_endpoints WHERE client_id = $1 AND id = $2 AND status = 'active' AND 100 > (
    SELECT count(*) FROM (SELECT m.type FROM webhook_messages m
      WHERE m.endpoint_id = $2 AND m.next_attempt_at IS NOT NULL LIMIT 10000) AS waiting
    WHERE type = 'webhook.test')
), message AS (
  INSERT INTO webhook_messages (endpoint_id, type, data)
  SELECT id, 'webhook.test', jsonb_build_object('message', 'This is a test event. Nothing has happened.') FROM e RETURNING id
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'webhook', (e.id)::text,
  (NULL)::text, (NULL)::text, (e.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object())
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['webhook.tested']) AS event, e
)
SELECT id FROM message;

-- introspect_access_token
WITH
credentialed AS (
  SELECT client_id, status, id_token_alg, id_token_on_refresh, $2::text = ANY (auth_methods) AS permitted FROM partners
  WHERE client_id = $1
  AND $3::bytea = ANY (CASE $2 WHEN 'private_key_jwt' THEN key_thumbprints ELSE secret_hashes END)
), used AS (
  INSERT INTO client_assertions (hash, expires_at)
  SELECT $4::bytea, $5::timestamptz FROM credentialed WHERE permitted AND $2 = 'private_key_jwt' AND $5 > now()
  ON CONFLICT DO NOTHING RETURNING hash
), client AS (
  SELECT client_id, status, id_token_alg, id_token_on_refresh FROM credentialed
  WHERE permitted AND ($2 <> 'private_key_jwt' OR EXISTS (SELECT FROM used))
), live AS (
  SELECT g.subject, c.acr, c.auth_time
  FROM client
  JOIN connections c ON c.access_locator_hash = $6 AND c.client_id = client.client_id
  JOIN grants g ON g.id = c.grant_id
  JOIN users u ON u.id = g.user_id
  WHERE (
    $7::bytea = c.access_nonce AND $8::timestamptz <= c.access_nonce_at + interval '7320 seconds'
    OR $7::bytea = c.previous_access_nonce AND $8::timestamptz <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE AND now() < $8::timestamptz AND CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled' END IS NULL
)
SELECT
CASE WHEN NOT EXISTS (SELECT FROM credentialed) THEN
CASE WHEN $2 = 'private_key_jwt' THEN 'unknown'
WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND $3 = ANY (leaked_secret_hashes)) THEN 'secret_leaked'
WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND auth_methods = '{private_key_jwt}') THEN 'assertion_required'
ELSE 'unknown' END
WHEN NOT (SELECT permitted FROM credentialed) THEN 'wrong_method'
WHEN NOT EXISTS (SELECT FROM client) THEN 'assertion_used'
ELSE (SELECT status FROM client) END AS client_authentication, l.subject, l.acr, l.auth_time FROM (SELECT) AS always LEFT JOIN live l ON true;

-- introspect_live_access_token
SELECT g.subject, c.acr, c.auth_time
FROM partners client
JOIN connections c ON c.access_locator_hash = $4 AND c.client_id = client.client_id
JOIN grants g ON g.id = c.grant_id
JOIN users u ON u.id = g.user_id
WHERE client.client_id = $1 AND client.status = 'active' AND $2::text = ANY (client.auth_methods)
AND $2 <> 'private_key_jwt' AND $3::bytea = ANY (client.secret_hashes)
AND (
  $5::bytea = c.access_nonce AND $6::timestamptz <= c.access_nonce_at + interval '7320 seconds'
  OR $5::bytea = c.previous_access_nonce AND $6::timestamptz <= c.access_nonce_at + interval '3660 seconds'
) IS TRUE AND now() < $6::timestamptz AND CASE
WHEN c.revoked_at IS NOT NULL THEN
CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
WHEN g.revoked_at IS NOT NULL THEN
CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
WHEN u.status <> 'active' THEN 'user_disabled' END IS NULL;

-- introspect_live_refresh_token
SELECT g.subject, c.acr, c.auth_time
FROM partners client
JOIN connections c ON c.refresh_locator_hash = $4 AND c.client_id = client.client_id
JOIN grants g ON g.id = c.grant_id
JOIN users u ON u.id = g.user_id
WHERE client.client_id = $1 AND client.status = 'active' AND $2::text = ANY (client.auth_methods)
AND $2 <> 'private_key_jwt' AND $3::bytea = ANY (client.secret_hashes)
AND c.generation = $5::bigint AND now() < $6::timestamptz AND CASE
WHEN c.revoked_at IS NOT NULL THEN
CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
WHEN g.revoked_at IS NOT NULL THEN
CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
WHEN u.status <> 'active' THEN 'user_disabled' END IS NULL;

-- introspect_refresh_token
WITH
credentialed AS (
  SELECT client_id, status, id_token_alg, id_token_on_refresh, $2::text = ANY (auth_methods) AS permitted FROM partners
  WHERE client_id = $1
  AND $3::bytea = ANY (CASE $2 WHEN 'private_key_jwt' THEN key_thumbprints ELSE secret_hashes END)
), used AS (
  INSERT INTO client_assertions (hash, expires_at)
  SELECT $4::bytea, $5::timestamptz FROM credentialed WHERE permitted AND $2 = 'private_key_jwt' AND $5 > now()
  ON CONFLICT DO NOTHING RETURNING hash
), client AS (
  SELECT client_id, status, id_token_alg, id_token_on_refresh FROM credentialed
  WHERE permitted AND ($2 <> 'private_key_jwt' OR EXISTS (SELECT FROM used))
), live AS (
  SELECT g.subject, c.acr, c.auth_time
  FROM client
  JOIN connections c ON c.refresh_locator_hash = $6 AND c.client_id = client.client_id
  JOIN grants g ON g.id = c.grant_id
  JOIN users u ON u.id = g.user_id
  WHERE c.generation = $7::bigint AND now() < $8::timestamptz AND CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled' END IS NULL
)
SELECT
CASE WHEN NOT EXISTS (SELECT FROM credentialed) THEN
CASE WHEN $2 = 'private_key_jwt' THEN 'unknown'
WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND $3 = ANY (leaked_secret_hashes)) THEN 'secret_leaked'
WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND auth_methods = '{private_key_jwt}') THEN 'assertion_required'
ELSE 'unknown' END
WHEN NOT (SELECT permitted FROM credentialed) THEN 'wrong_method'
WHEN NOT EXISTS (SELECT FROM client) THEN 'assertion_used'
ELSE (SELECT status FROM client) END AS client_authentication, l.subject, l.acr, l.auth_time FROM (SELECT) AS always LEFT JOIN live l ON true;

-- invite_developer
WITH counted AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  SELECT $8::bytea, 1, now() + interval '1 day' WHERE $8::bytea IS NOT NULL
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
), partner AS (
  SELECT client_id, name FROM partners
  WHERE client_id = $1 AND coalesce((SELECT count FROM counted), 0) <= 30
), person AS (
  INSERT INTO developers AS d (email, email_folded, name) SELECT $2, $3, $4 FROM partner
  ON CONFLICT (email_folded) DO UPDATE SET email_folded = excluded.email_folded -- returns the account that exists
  RETURNING d.id, d.email, d.name, (d.password_hash IS NOT NULL OR EXISTS (SELECT FROM developer_identities i WHERE i.developer_id = d.id)) AS is_set_up,
  EXISTS (SELECT FROM developer_links l WHERE l.developer_id = d.id AND l.expires_at > now()) AS has_link
), member AS (
  INSERT INTO developer_memberships (developer_id, client_id, role) SELECT person.id, $1, $5 FROM person
  ON CONFLICT DO NOTHING RETURNING developer_id
), invited AS (
  SELECT person.id, email, name FROM person WHERE NOT is_set_up AND ($8::bytea IS NULL OR NOT has_link)
), link AS (
  INSERT INTO developer_links (developer_id, hash, expires_at)
  SELECT id, $6::bytea, now() + interval '7 days' FROM invited
  ON CONFLICT (developer_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at
  RETURNING expires_at
), invitation AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'developer_invited', 'to', u.email, 'name', u.name,
    'language', 'en',
    'facts', jsonb_build_object('partner', partner.name, 'link', $7::text, 'until', link.expires_at)),
  now() + interval '7 days'
  FROM invited u, partner, link WHERE $7::text IS NOT NULL
), notice AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'developer_added', 'to', u.email, 'name', u.name,
    'language', 'en',
    'facts', jsonb_build_object('partner', partner.name)),
  now() + interval '2 days'
  FROM person u, partner, member WHERE $7::text IS NOT NULL AND NOT EXISTS (SELECT FROM invited)
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (person.id)::text,
  (NULL)::text, (NULL)::text, ($1)::text,
  jsonb_strip_nulls(jsonb_build_object('email', person.email, 'role', $5::text))
  FROM (SELECT ($9)::jsonb AS origin) AS o, unnest(ARRAY['developer.invited']) AS event, member JOIN person ON person.id = developer_id
)
SELECT (SELECT id::text FROM person) AS developer_id, NOT EXISTS (SELECT FROM member) AS was_member,
(SELECT is_set_up FROM person) AS is_set_up, (SELECT expires_at FROM link) AS link_expires_at
FROM partners WHERE client_id = $1;

-- invite_user
WITH found AS (
  SELECT u.id, u.firm_id, u.email, u.name, u.status, u.login_version, f.local_passwords FROM users u JOIN firms f ON f.id = u.firm_id WHERE u.id = $1 OR u.email_folded = $1
), link AS (
  INSERT INTO password_links (user_id, hash, login_version, expires_at)
  SELECT u.id, $2::bytea, u.login_version, now() + interval '7 days' FROM found u WHERE u.status = 'active' AND u.local_passwords
  ON CONFLICT (user_id) DO UPDATE
  SET hash = excluded.hash, login_version = excluded.login_version, expires_at = excluded.expires_at
  RETURNING expires_at
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'invitation', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('link', $3::text, 'until', link.expires_at)),
  now() + interval '2 days'
  FROM found u, link WHERE $3::text IS NOT NULL
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (found.id)::text,
  (found.firm_id)::text, (found.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('mailed', $3::text IS NOT NULL, 'expires_at', link.expires_at))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['user.invited']) AS event, found, link
)
SELECT found.id, found.email, found.status, found.local_passwords, link.expires_at
FROM found LEFT JOIN link ON true;

-- is_audit_removal_due
SELECT EXISTS (SELECT FROM audit_log WHERE at < (date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => $1::int)) AT TIME ZONE 'UTC') AS due;

-- keep_audit_log
SELECT keep_audit_log($1::int, $2::jsonb)::float8 AS removed;

-- keep_request_log
SELECT keep_request_log($1::int) AS removed;

-- last_audit_checkpoint
SELECT number::text, place::text, hash, at, key_id, signature FROM audit_checkpoints ORDER BY number DESC LIMIT 1;

-- latest_events
SELECT at, event, actor_kind, coalesce(actor_name, actor_id, '') AS actor, via, target_kind, target_id
FROM audit_log ORDER BY at DESC, id DESC LIMIT 8;

-- limit_grants
WITH concerned AS (
  SELECT g.id, days, g.expires_at
  FROM grants g JOIN partners p USING (client_id) CROSS JOIN LATERAL (SELECT coalesce(p.grant_lifetime_days, $2::integer) AS days) AS life
  WHERE ($1::text IS NULL OR g.client_id = $1) AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))
  AND days IS NOT NULL AND (g.expires_at IS NULL OR g.expires_at > now() + make_interval(days => days))
  ORDER BY g.id FOR NO KEY UPDATE OF g
), limited AS (
  UPDATE grants g SET expires_at = now() + make_interval(days => days), end_notice_at = CASE WHEN days > 7 THEN now() + make_interval(days => days - 7) END
  FROM concerned WHERE g.id = concerned.id
  RETURNING g.id, g.user_id, g.client_id, g.expires_at
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'grant', (limited.id)::text,
  (NULL)::text, (limited.user_id)::text, (limited.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(jsonb_build_object('expires_at', concerned.expires_at), jsonb_build_object('expires_at', limited.expires_at)), 'after', differing_fields(jsonb_build_object('expires_at', limited.expires_at), jsonb_build_object('expires_at', concerned.expires_at))))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['grant.lifetime_applied']) AS event, limited JOIN concerned USING (id)
)
SELECT id FROM limited;

-- link_by_operator
WITH named AS (
  SELECT id FROM users WHERE id = $3 OR email_folded = $3
), linked AS (
  INSERT INTO identities (provider_id, sub, user_id)
  SELECT p.id, $2, named.id FROM identity_providers p, named WHERE p.id = $1
  ON CONFLICT DO NOTHING
  RETURNING user_id
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (linked.user_id)::text,
  (NULL)::text, (linked.user_id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('provider', $1::text, 'sub', $2::text, 'by', 'operator'))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['user.identity_bound']) AS event, linked
)
SELECT EXISTS (SELECT FROM identity_providers WHERE id = $1) AS provider_exists, (SELECT id FROM named) AS user_id,
EXISTS (SELECT FROM linked) AS linked;

-- link_identity
WITH candidate AS (
  SELECT u.id, u.email, u.login_version, u.status = 'active' AS active
  FROM identity_providers p, users u
  WHERE p.id = $1 AND (u.email_folded = $3 OR u.id = $4)
  AND (p.firms = '{}' OR u.firm_id = ANY (p.firms)) AND (NOT EXISTS (SELECT FROM identity_provider_domains d WHERE d.provider_id = p.id)
    OR EXISTS (SELECT FROM identity_provider_domains d
      WHERE d.provider_id = p.id AND d.domain = split_part(u.email_folded, '@', 2)))
), linked AS (
  INSERT INTO identities (provider_id, sub, user_id, last_login_at)
  SELECT $1, $2, id, now() FROM candidate WHERE active
  ON CONFLICT DO NOTHING
  RETURNING user_id
), forgiven AS (
  UPDATE login_failures SET count = count - 1 WHERE key = $5 AND EXISTS (SELECT FROM linked)
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (linked.user_id)::text,
  (NULL)::text, (linked.user_id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('provider', $1::text, 'sub', $2::text, 'by', 'claim'))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['user.identity_bound']) AS event, linked
)
SELECT CASE WHEN candidate.id IS NULL THEN 'unmatched' WHEN NOT candidate.active THEN 'inactive'
WHEN linked.user_id IS NULL THEN 'taken' ELSE 'linked' END AS outcome,
candidate.id AS user_id, candidate.email, candidate.login_version
FROM (SELECT) AS one LEFT JOIN candidate ON true LEFT JOIN linked ON linked.user_id = candidate.id;

-- list-users
SELECT u.id, u.email, u.name, u.firm_id, u.role, u.status, u.disabled_by_operator_at FROM users u
WHERE ($1::text IS NULL OR u.firm_id = $1) AND ($2::text IS NULL OR u.status = $2) ORDER BY u.id;

-- list_account_access_by_user_id
SELECT t.user_id, t.account_id, t.household_id, t.source FROM account_access t WHERE t.user_id = $5 AND (t.user_id, t.household_id, t.account_id) > ($1, $2, $3) ORDER BY t.user_id, t.household_id, t.account_id LIMIT $4;

-- list_account_access_rows
SELECT t.user_id, t.account_id, t.household_id, t.source FROM account_access t WHERE (t.user_id, t.household_id, t.account_id) > ($1, $2, $3) ORDER BY t.user_id, t.household_id, t.account_id LIMIT $4;

-- list_account_changes
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), latest AS (
  SELECT greatest(f.changed_at, u.sees_since) AS as_of, f.changed_at, u.sees_since
  FROM caller JOIN firms f ON f.id = caller.firm_id JOIN users u ON u.id = caller.user_id
), sync AS (
  SELECT coalesce($6::timestamptz, as_of) AS as_of,
  CASE WHEN $5::timestamptz > greatest(now(), as_of) THEN 'future'
  WHEN $5::timestamptz < greatest(sees_since, least(changed_at, now() - interval '2160 hours')) THEN 'expired' END AS fault
  FROM latest
),
plan AS (
  SELECT fault IS NOT NULL OR sees = 'firm' OR $7::boolean OR (
    SELECT count(*) FROM (
      SELECT c.changed_at, c.account_id AS id FROM account_changes c
      WHERE (c.firm_id, c.changed_at, c.account_id) > (caller.firm_id, $2::timestamptz, $3)
      AND (c.firm_id, c.changed_at) <= (caller.firm_id, (SELECT as_of FROM sync))
      AND c.firm_id >= caller.firm_id AND c.firm_id <= caller.firm_id AND true
      ORDER BY c.firm_id, c.changed_at, c.account_id LIMIT 1001) AS c
  ) <= 1000 AS complete
  FROM caller, sync
),
change AS (
  SELECT change.* FROM sync, plan, LATERAL (SELECT seen.* FROM caller CROSS JOIN LATERAL (
      SELECT c.changed_at, c.account_id AS id FROM account_changes c
      WHERE (c.firm_id, c.changed_at, c.account_id) > (caller.firm_id, $2::timestamptz, $3)
      AND (c.firm_id, c.changed_at) <= (caller.firm_id, (SELECT as_of FROM sync))
      AND c.firm_id >= caller.firm_id AND c.firm_id <= caller.firm_id AND true
      ORDER BY c.firm_id, c.changed_at, c.account_id LIMIT $4::int + 1) AS seen WHERE caller.sees = 'firm'
    UNION ALL
    SELECT seen.* FROM caller CROSS JOIN LATERAL ((
        SELECT c.changed_at, c.account_id AS id FROM account_access_changes c
        WHERE (c.user_id, c.changed_at, c.account_id) > (caller.user_id, $2::timestamptz, $3)
        AND (c.user_id, c.changed_at) <= (caller.user_id, (SELECT as_of FROM sync))
        AND c.user_id >= caller.user_id AND c.user_id <= caller.user_id AND (EXISTS (
            SELECT FROM accounts a WHERE a.id = c.account_id AND a.firm_id = caller.firm_id OFFSET 0)
          OR EXISTS (SELECT FROM account_changes l WHERE l.firm_id = caller.firm_id AND l.account_id = c.account_id OFFSET 0))
        ORDER BY c.user_id, c.changed_at, c.account_id LIMIT $4::int + 1) UNION (
        SELECT c.changed_at, c.account_id AS id FROM account_changes c
        WHERE (c.firm_id, c.changed_at, c.account_id) > (caller.firm_id, $2::timestamptz, $3)
        AND (c.firm_id, c.changed_at) <= (caller.firm_id, (SELECT as_of FROM sync))
        AND c.firm_id >= caller.firm_id AND c.firm_id <= caller.firm_id AND EXISTS (
          SELECT FROM accounts a
          JOIN account_access x ON x.user_id = caller.user_id AND x.household_id = a.household_id AND x.account_id = a.id
          WHERE a.id = c.account_id OFFSET 0)
        ORDER BY c.firm_id, c.changed_at, c.account_id LIMIT $4::int + 1)) AS seen WHERE caller.sees = 'granted') AS change WHERE fault IS NULL AND complete
),
own AS (
  SELECT own.* FROM plan, caller, LATERAL (
    SELECT account_id FROM account_access WHERE user_id = caller.user_id AND firm_id = caller.firm_id LIMIT 5001) AS own WHERE NOT complete
),
entry AS (
  SELECT first.*, (SELECT a.json FROM accounts a WHERE a.id = first.id AND a.status = 'active' AND (
      a.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
          SELECT FROM account_access x
          WHERE x.user_id = caller.user_id AND x.household_id = a.household_id AND x.account_id = a.id OFFSET 0)))) AS json
  FROM caller, (SELECT change.*, row_number() OVER (ORDER BY changed_at, id) AS place
    FROM change ORDER BY changed_at, id LIMIT $4::int + 1) AS first
),
page AS (SELECT * FROM entry WHERE place <= $4::int)
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) FROM caller) AS visibility_version, (SELECT fault FROM sync) AS fault, coalesce((SELECT to_char(as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM sync), '') AS as_of,
(SELECT count(*) FROM entry) > $4::int AS more,
count(json)::int AS count, string_agg(json, ',' ORDER BY place) AS entries,
count(*) FILTER (WHERE json IS NULL)::int AS removed_count,
string_agg(to_json(id)::text, ',' ORDER BY place) FILTER (WHERE json IS NULL) AS removed,
(jsonb_object_agg(id,
    CASE WHEN NOT EXISTS (SELECT FROM accounts a WHERE a.id = page.id OFFSET 0) THEN 'account_deleted'
    WHEN EXISTS (SELECT FROM caller, accounts a WHERE a.id = page.id AND (
        a.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
            SELECT FROM account_access x
            WHERE x.user_id = caller.user_id AND x.household_id = a.household_id AND x.account_id = a.id OFFSET 0))) OFFSET 0) THEN 'account_closed'
    ELSE 'access_ended' END) FILTER (WHERE json IS NULL))::text AS removed_reasons,
(SELECT id FROM page ORDER BY place DESC LIMIT 1) AS last_id,
(SELECT to_char(changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM page ORDER BY place DESC LIMIT 1) AS last_changed_at, coalesce((SELECT complete FROM plan), true) AS complete, (SELECT count(*) FROM own)::int AS own
FROM page;

-- list_accounts
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), household AS (
  SELECT h.id FROM caller, households h WHERE h.id = $2 AND (
    h.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
        SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id OFFSET 0)))
), page AS (
  SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (
    SELECT a.household_id AS scope, a.id, a.json
    FROM caller, household, accounts a
    WHERE a.household_id = household.id AND a.id > $5 AND a.status = 'active' AND (
      a.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
          SELECT FROM account_access x
          WHERE x.user_id = caller.user_id AND x.household_id = a.household_id AND x.account_id = a.id OFFSET 0)))
    ORDER BY a.household_id, a.id LIMIT $3::int + 1 OFFSET $4::bigint) AS entry
)
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) FROM caller) AS visibility_version, page.count, page.entries, EXISTS (SELECT FROM household) AS household_visible
FROM page;

-- list_accounts_by_household_id
SELECT t.id, t.household_id, t.name, t.type, t.number_masked, t.custodian, t.currency, t.status, iso_date(t.opened_on) AS opened_on, t.source FROM accounts t WHERE t.household_id = $3 AND (t.id) > ($1) ORDER BY t.household_id, t.id LIMIT $2;

-- list_accounts_rows
SELECT t.id, t.household_id, t.name, t.type, t.number_masked, t.custodian, t.currency, t.status, iso_date(t.opened_on) AS opened_on, t.source FROM accounts t WHERE (t.id) > ($1) ORDER BY t.id LIMIT $2;

-- list_api_keys
SELECT k.id, k.name, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired' ELSE 'live' END AS state, k.scopes FROM api_keys k ORDER BY k.created_at, k.id;

-- list_developer_keys
SELECT k.id, k.name, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired' ELSE 'live' END AS state, k.client_id, k.role, k.created_by FROM developer_keys k WHERE k.client_id = $1 ORDER BY k.created_at, k.id;

-- list_developers
SELECT d.id::text, d.email, d.name, d.status,
(SELECT coalesce(jsonb_agg(jsonb_build_object('client_id', m.client_id, 'role', m.role) ORDER BY m.client_id), '[]')
  FROM developer_memberships m WHERE m.developer_id = d.id) AS partners,
d.password_hash IS NOT NULL AS has_password,
ARRAY(SELECT i.provider_id FROM developer_identities i WHERE i.developer_id = d.id ORDER BY 1) AS providers,
d.created_at, d.last_login_at,
(SELECT l.expires_at FROM developer_links l WHERE l.developer_id = d.id AND l.expires_at > now()) AS link_expires_at
FROM developers d
WHERE $1::text IS NULL OR EXISTS (SELECT FROM developer_memberships m WHERE m.developer_id = d.id AND m.client_id = $1)
ORDER BY d.email_folded;

-- list_firm_households
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), known AS (
  SELECT bearer.*, concat_ws(' ', bearer.user_id, bearer.firm_id, bearer.sees, extract(epoch FROM bearer.firm_changed_at)) AS visibility_version
  FROM bearer WHERE refusal IS NULL AND sees = 'firm'
)
SELECT caller.grant_id, now() AS used_at, caller.refusal, caller.client_id, caller.user_id, caller.visibility_version,
page.count, page.entries
FROM known AS caller CROSS JOIN LATERAL (
  SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (
    SELECT h.firm_id AS scope, h.id, h.json FROM households h
    WHERE (h.firm_id, h.id) > (caller.firm_id, $2) AND h.firm_id <= caller.firm_id
    ORDER BY h.firm_id, h.id LIMIT $3::int + 1) AS entry) AS page
WHERE $4::text IS NULL OR caller.visibility_version = $4;

-- list_firms
SELECT id, name, require_acr, local_passwords FROM firms ORDER BY id;

-- list_firms_rows
SELECT t.id, t.name, t.source FROM firms t WHERE (t.id) > ($1) ORDER BY t.id LIMIT $2;

-- list_granted_households
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), known AS (
  SELECT bearer.*, concat_ws(' ', bearer.user_id, bearer.firm_id, bearer.sees, extract(epoch FROM bearer.firm_changed_at)) AS visibility_version
  FROM bearer WHERE refusal IS NULL AND sees = 'granted'
)
SELECT caller.grant_id, now() AS used_at, caller.refusal, caller.client_id, caller.user_id, caller.visibility_version,
page.count, page.entries
FROM known AS caller CROSS JOIN LATERAL (
  SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (
    SELECT caller.user_id AS scope, h.id, h.json FROM households h
    WHERE h.firm_id = caller.firm_id AND h.id = ANY (ARRAY(SELECT household_id FROM (
          SELECT DISTINCT user_id, household_id FROM account_access
          WHERE (user_id, household_id) > (caller.user_id, $2) AND user_id <= caller.user_id
          AND firm_id = caller.firm_id
          ORDER BY user_id, household_id LIMIT $3::int + 1) AS own))) AS entry) AS page
WHERE $4::text IS NULL OR caller.visibility_version = $4;

-- list_grants
SELECT g.id, g.user_id, u.email, g.client_id, p.name AS partner_name, coalesce(
  (SELECT c.redirect_uri FROM connections c WHERE c.grant_id = g.id ORDER BY c.created_at DESC, c.id DESC LIMIT 1),
  p.redirect_uris[1]) AS redirect_uri, g.created_at,
g.expires_at, CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN g.expires_at ELSE g.revoked_at END AS revoked_at,
CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'expiry' ELSE g.revoked_by END AS revoked_by FROM grants g JOIN partners p USING (client_id) JOIN users u ON u.id = g.user_id
WHERE ($3 OR (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))) AND ($1::text IS NULL OR u.id = $1 OR u.email_folded = $1)
AND ($2::text IS NULL OR g.client_id = $2)
ORDER BY g.created_at, g.id;

-- list_household_changes
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), latest AS (
  SELECT greatest(f.changed_at, u.sees_since) AS as_of, f.changed_at, u.sees_since
  FROM caller JOIN firms f ON f.id = caller.firm_id JOIN users u ON u.id = caller.user_id
), sync AS (
  SELECT coalesce($6::timestamptz, as_of) AS as_of,
  CASE WHEN $5::timestamptz > greatest(now(), as_of) THEN 'future'
  WHEN $5::timestamptz < greatest(sees_since, least(changed_at, now() - interval '2160 hours')) THEN 'expired' END AS fault
  FROM latest
),
plan AS (
  SELECT fault IS NOT NULL OR sees = 'firm' OR $7::boolean OR (
    SELECT count(*) FROM (
      SELECT c.changed_at, c.household_id AS id FROM household_changes c
      WHERE (c.firm_id, c.changed_at, c.household_id) > (caller.firm_id, $2::timestamptz, $3)
      AND (c.firm_id, c.changed_at) <= (caller.firm_id, (SELECT as_of FROM sync))
      AND c.firm_id >= caller.firm_id AND c.firm_id <= caller.firm_id AND true
      ORDER BY c.firm_id, c.changed_at, c.household_id LIMIT 1001) AS c
  ) <= 1000 AS complete
  FROM caller, sync
),
change AS (
  SELECT change.* FROM sync, plan, LATERAL (SELECT seen.* FROM caller CROSS JOIN LATERAL (
      SELECT c.changed_at, c.household_id AS id FROM household_changes c
      WHERE (c.firm_id, c.changed_at, c.household_id) > (caller.firm_id, $2::timestamptz, $3)
      AND (c.firm_id, c.changed_at) <= (caller.firm_id, (SELECT as_of FROM sync))
      AND c.firm_id >= caller.firm_id AND c.firm_id <= caller.firm_id AND true
      ORDER BY c.firm_id, c.changed_at, c.household_id LIMIT $4::int + 1) AS seen WHERE caller.sees = 'firm'
    UNION ALL
    SELECT seen.* FROM caller CROSS JOIN LATERAL ((
        SELECT c.changed_at, c.household_id AS id FROM access_changes c
        WHERE (c.user_id, c.changed_at, c.household_id) > (caller.user_id, $2::timestamptz, $3)
        AND (c.user_id, c.changed_at) <= (caller.user_id, (SELECT as_of FROM sync))
        AND c.user_id >= caller.user_id AND c.user_id <= caller.user_id AND (EXISTS (
            SELECT FROM households h WHERE h.firm_id = caller.firm_id AND h.id = c.household_id OFFSET 0)
          OR EXISTS (SELECT FROM household_changes l WHERE l.firm_id = caller.firm_id AND l.household_id = c.household_id OFFSET 0))
        ORDER BY c.user_id, c.changed_at, c.household_id LIMIT $4::int + 1) UNION (
        SELECT c.changed_at, c.household_id AS id FROM household_changes c
        WHERE (c.firm_id, c.changed_at, c.household_id) > (caller.firm_id, $2::timestamptz, $3)
        AND (c.firm_id, c.changed_at) <= (caller.firm_id, (SELECT as_of FROM sync))
        AND c.firm_id >= caller.firm_id AND c.firm_id <= caller.firm_id AND EXISTS (
          SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = c.household_id OFFSET 0)
        ORDER BY c.firm_id, c.changed_at, c.household_id LIMIT $4::int + 1)) AS seen WHERE caller.sees = 'granted') AS change WHERE fault IS NULL AND complete
),
own AS (
  SELECT own.* FROM plan, caller, LATERAL (
    SELECT DISTINCT user_id, household_id FROM account_access
    WHERE (user_id, household_id) > (caller.user_id, '') AND user_id <= caller.user_id
    AND firm_id = caller.firm_id
    ORDER BY user_id, household_id LIMIT 5001) AS own WHERE NOT complete
),
entry AS (
  SELECT first.*, (SELECT h.json FROM households h WHERE h.id = first.id AND (
      h.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
          SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id OFFSET 0)))) AS json
  FROM caller, (SELECT change.*, row_number() OVER (ORDER BY changed_at, id) AS place
    FROM change ORDER BY changed_at, id LIMIT $4::int + 1) AS first
),
page AS (SELECT * FROM entry WHERE place <= $4::int)
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) FROM caller) AS visibility_version, (SELECT fault FROM sync) AS fault, coalesce((SELECT to_char(as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM sync), '') AS as_of,
(SELECT count(*) FROM entry) > $4::int AS more,
count(json)::int AS count, string_agg(json, ',' ORDER BY place) AS entries,
count(*) FILTER (WHERE json IS NULL)::int AS removed_count,
string_agg(to_json(id)::text, ',' ORDER BY place) FILTER (WHERE json IS NULL) AS removed,
(jsonb_object_agg(id, CASE WHEN EXISTS (SELECT FROM households h WHERE h.id = page.id OFFSET 0) THEN 'access_ended' ELSE 'household_deleted' END) FILTER (WHERE json IS NULL))::text AS removed_reasons,
(SELECT id FROM page ORDER BY place DESC LIMIT 1) AS last_id,
(SELECT to_char(changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM page ORDER BY place DESC LIMIT 1) AS last_changed_at, coalesce((SELECT complete FROM plan), true) AS complete, (SELECT count(*) FROM own)::int AS own
FROM page;

-- list_households
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), page AS (SELECT seen.* FROM caller CROSS JOIN LATERAL (
    SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (
      SELECT h.firm_id AS scope, h.id, h.json FROM households h
      WHERE (h.firm_id, h.id) > (caller.firm_id, $2) AND h.firm_id <= caller.firm_id
      ORDER BY h.firm_id, h.id LIMIT $3::int + 1) AS entry) AS seen WHERE caller.sees = 'firm'
  UNION ALL
  SELECT seen.* FROM caller CROSS JOIN LATERAL (
    SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (
      SELECT caller.user_id AS scope, h.id, h.json FROM households h
      WHERE h.firm_id = caller.firm_id AND h.id = ANY (ARRAY(SELECT household_id FROM (
            SELECT DISTINCT user_id, household_id FROM account_access
            WHERE (user_id, household_id) > (caller.user_id, $2) AND user_id <= caller.user_id
            AND firm_id = caller.firm_id
            ORDER BY user_id, household_id LIMIT $3::int + 1) AS own))) AS entry) AS seen WHERE caller.sees = 'granted')
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) FROM caller) AS visibility_version, coalesce((SELECT count FROM page), 0) AS count, (SELECT entries FROM page) AS entries, (SELECT sees FROM caller) AS sees;

-- list_households_by_firm_id
SELECT t.id, t.firm_id, t.name, t.source FROM households t WHERE t.firm_id = $3 AND (t.id) > ($1) ORDER BY t.firm_id, t.id LIMIT $2;

-- list_households_by_number
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), start AS (
  SELECT range.after_id, $3::bigint - households_before AS skipped
  FROM caller CROSS JOIN LATERAL (
    SELECT after_id, households_to - households AS households_before
    FROM (SELECT after_id, households,
      sum(households) OVER (ORDER BY firm_id, user_id, after_id ROWS UNBOUNDED PRECEDING) AS households_to
      FROM listing_ranges
      WHERE firm_id = caller.firm_id AND user_id = CASE caller.sees WHEN 'firm' THEN '' ELSE caller.user_id END
    ) AS range
    WHERE households_to > $3::bigint LIMIT 1) AS range
),
page AS (SELECT seen.* FROM caller CROSS JOIN LATERAL (
    SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (
      SELECT h.firm_id AS scope, h.id, h.json FROM households h
      WHERE (h.firm_id, h.id) > (caller.firm_id, (SELECT after_id FROM start)) AND h.firm_id <= caller.firm_id
      ORDER BY h.firm_id, h.id LIMIT $2::int + 1 OFFSET (SELECT skipped FROM start)) AS entry) AS seen WHERE caller.sees = 'firm'
  UNION ALL
  SELECT seen.* FROM caller CROSS JOIN LATERAL (
    SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (
      SELECT caller.user_id AS scope, h.id, h.json FROM households h
      WHERE h.firm_id = caller.firm_id AND h.id = ANY (ARRAY(SELECT household_id FROM (
            SELECT DISTINCT user_id, household_id FROM account_access
            WHERE (user_id, household_id) > (caller.user_id, (SELECT after_id FROM start)) AND user_id <= caller.user_id
            AND firm_id = caller.firm_id
            ORDER BY user_id, household_id LIMIT $2::int + 1 OFFSET (SELECT skipped FROM start)) AS own))) AS entry) AS seen WHERE caller.sees = 'granted')
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) FROM caller) AS visibility_version, coalesce((SELECT count FROM page), 0) AS count, (SELECT entries FROM page) AS entries, (SELECT sees FROM caller) AS sees;

-- list_households_of_grant
WITH
log AS (SELECT * FROM read_log WHERE grant_id = $1::bigint AND day >= coalesce($2::date, '-infinity')),
part AS (
  SELECT part FROM (SELECT range_agg(households) AS households FROM log) AS all_read, unnest(households) AS part
  WHERE upper(part) > $3::int + 1 ORDER BY lower(part) LIMIT $4::int
), page AS (
  SELECT n.* FROM part CROSS JOIN LATERAL (
    SELECT * FROM household_numbers WHERE number >= greatest(lower(part), $3 + 1) AND number < upper(part)
    ORDER BY number LIMIT $4) AS n
  ORDER BY n.number LIMIT $4
)
SELECT page.number, page.household_id, (SELECT coalesce(h.name, '') FROM households h WHERE h.id = page.household_id) AS name, total.*
FROM page CROSS JOIN LATERAL (
  SELECT iso_date(max(day)) AS last_day, count(DISTINCT day)::int AS days, sum(reads)::float8 AS reads
  FROM log WHERE households @> page.number) AS total
ORDER BY page.number;

-- list_households_of_own_grant
WITH caller AS (
  SELECT u.id AS user_id, u.firm_id, r.sees FROM users u JOIN roles r ON r.name = u.role WHERE u.id = $5
),
log AS (SELECT * FROM read_log WHERE grant_id = $1::bigint AND day >= coalesce($2::date, '-infinity')),
part AS (
  SELECT part FROM (SELECT range_agg(households) AS households FROM log) AS all_read, unnest(households) AS part
  WHERE upper(part) > $3::int + 1 ORDER BY lower(part) LIMIT $4::int
), page AS (
  SELECT n.* FROM part CROSS JOIN LATERAL (
    SELECT * FROM household_numbers WHERE number >= greatest(lower(part), $3 + 1) AND number < upper(part)
    ORDER BY number LIMIT $4) AS n
  ORDER BY n.number LIMIT $4
)
SELECT page.number, page.household_id, (SELECT coalesce(h.name, '') FROM households h, caller WHERE h.id = page.household_id AND (
    h.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
        SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id OFFSET 0)))) AS name, total.*
FROM page CROSS JOIN LATERAL (
  SELECT iso_date(max(day)) AS last_day, count(DISTINCT day)::int AS days, sum(reads)::float8 AS reads
  FROM log WHERE households @> page.number) AS total
ORDER BY page.number;

-- list_households_of_user
WITH
caller AS (
  SELECT u.id AS user_id, u.firm_id, r.sees FROM users u JOIN roles r ON r.name = u.role WHERE u.id = $1
), start AS (
  SELECT range.after_id, $3::bigint - households_before AS skipped
  FROM caller CROSS JOIN LATERAL (
    SELECT after_id, households_to - households AS households_before
    FROM (SELECT after_id, households,
      sum(households) OVER (ORDER BY firm_id, user_id, after_id ROWS UNBOUNDED PRECEDING) AS households_to
      FROM listing_ranges
      WHERE firm_id = caller.firm_id AND user_id = CASE caller.sees WHEN 'firm' THEN '' ELSE caller.user_id END
    ) AS range
    WHERE households_to > $3::bigint LIMIT 1) AS range
)
SELECT (SELECT households FROM caller CROSS JOIN LATERAL (SELECT coalesce(sum(households), 0)::float8 AS households FROM listing_ranges
    WHERE firm_id = caller.firm_id AND user_id = CASE caller.sees WHEN 'firm' THEN '' ELSE caller.user_id END) AS listing),
ARRAY(SELECT name
  FROM (SELECT seen.* FROM caller CROSS JOIN LATERAL (
      SELECT h.firm_id AS scope, h.id, coalesce(h.name, h.id) AS name FROM households h
      WHERE (h.firm_id, h.id) > (caller.firm_id, (SELECT after_id FROM start)) AND h.firm_id <= caller.firm_id
      ORDER BY h.firm_id, h.id LIMIT $2::int OFFSET (SELECT skipped FROM start)) AS seen WHERE caller.sees = 'firm'
    UNION ALL
    SELECT seen.* FROM caller CROSS JOIN LATERAL (
      SELECT caller.user_id AS scope, h.id, coalesce(h.name, h.id) AS name FROM households h
      WHERE h.firm_id = caller.firm_id AND h.id = ANY (ARRAY(SELECT household_id FROM (
            SELECT DISTINCT user_id, household_id FROM account_access
            WHERE (user_id, household_id) > (caller.user_id, (SELECT after_id FROM start)) AND user_id <= caller.user_id
            AND firm_id = caller.firm_id
            ORDER BY user_id, household_id LIMIT $2::int OFFSET (SELECT skipped FROM start)) AS own))) AS seen WHERE caller.sees = 'granted') AS page
  ORDER BY scope, id) AS names;

-- list_households_rows
SELECT t.id, t.firm_id, t.name, t.source FROM households t WHERE (t.id) > ($1) ORDER BY t.id LIMIT $2;

-- list_live_kids
SELECT ARRAY(SELECT kid FROM signing_keys WHERE private_jwk IS NOT NULL ORDER BY kid) AS kids;

-- list_operators
SELECT o.id::text, o.email, o.name, o.role, o.status, o.password_hash IS NOT NULL AS has_password,
EXISTS (SELECT FROM operator_totp_secrets t WHERE t.operator_id = o.id) AS has_totp,
ARRAY(SELECT i.provider_id FROM operator_identities i WHERE i.operator_id = o.id ORDER BY 1) AS providers,
(SELECT count(*)::int FROM operator_sessions s
  WHERE s.operator_id = o.id AND s.expires_at > now() AND s.login_version = o.login_version) AS live_sessions,
o.created_at, o.last_login_at,
(SELECT l.expires_at FROM operator_links l WHERE l.operator_id = o.id AND l.expires_at > now()) AS link_expires_at
FROM operators o WHERE $1::text IS NULL OR o.id::text = $1 OR o.email_folded = $1
ORDER BY o.status, o.role, o.email_folded;

-- list_own_account_changes
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), latest AS (
  SELECT greatest(f.changed_at, u.sees_since) AS as_of, f.changed_at, u.sees_since
  FROM caller JOIN firms f ON f.id = caller.firm_id JOIN users u ON u.id = caller.user_id
), sync AS (
  SELECT coalesce($6::timestamptz, as_of) AS as_of,
  CASE WHEN $5::timestamptz > greatest(now(), as_of) THEN 'future'
  WHEN $5::timestamptz < greatest(sees_since, least(changed_at, now() - interval '2160 hours')) THEN 'expired' END AS fault
  FROM latest
),
change AS (
  SELECT change.*
  FROM sync, caller, LATERAL ((
      SELECT c.changed_at, c.account_id AS id FROM account_access_changes c
      WHERE (c.user_id, c.changed_at, c.account_id) > (caller.user_id, $2::timestamptz, $3)
      AND (c.user_id, c.changed_at) <= (caller.user_id, (SELECT as_of FROM sync))
      AND c.user_id >= caller.user_id AND c.user_id <= caller.user_id AND (EXISTS (
          SELECT FROM accounts a WHERE a.id = c.account_id AND a.firm_id = caller.firm_id OFFSET 0)
        OR EXISTS (SELECT FROM account_changes l WHERE l.firm_id = caller.firm_id AND l.account_id = c.account_id OFFSET 0))
      ORDER BY c.user_id, c.changed_at, c.account_id LIMIT $4::int + 1) UNION (
      SELECT c.changed_at, c.account_id AS id
      FROM (SELECT account_id AS id FROM account_access WHERE user_id = caller.user_id) AS own
      CROSS JOIN LATERAL (SELECT * FROM account_changes WHERE firm_id = caller.firm_id AND account_id = own.id LIMIT 1) AS c
      WHERE (c.changed_at, c.account_id) > ($2::timestamptz, $3) AND c.changed_at <= (SELECT as_of FROM sync)
      ORDER BY c.changed_at, c.account_id LIMIT $4::int + 1)) AS change
  WHERE fault IS NULL AND sees = 'granted'
),
entry AS (
  SELECT first.*, (SELECT a.json FROM accounts a WHERE a.id = first.id AND a.status = 'active' AND (
      a.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
          SELECT FROM account_access x
          WHERE x.user_id = caller.user_id AND x.household_id = a.household_id AND x.account_id = a.id OFFSET 0)))) AS json
  FROM caller, (SELECT change.*, row_number() OVER (ORDER BY changed_at, id) AS place
    FROM change ORDER BY changed_at, id LIMIT $4::int + 1) AS first
),
page AS (SELECT * FROM entry WHERE place <= $4::int)
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) FROM caller) AS visibility_version, (SELECT fault FROM sync) AS fault, coalesce((SELECT to_char(as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM sync), '') AS as_of,
(SELECT count(*) FROM entry) > $4::int AS more,
count(json)::int AS count, string_agg(json, ',' ORDER BY place) AS entries,
count(*) FILTER (WHERE json IS NULL)::int AS removed_count,
string_agg(to_json(id)::text, ',' ORDER BY place) FILTER (WHERE json IS NULL) AS removed,
(jsonb_object_agg(id,
    CASE WHEN NOT EXISTS (SELECT FROM accounts a WHERE a.id = page.id OFFSET 0) THEN 'account_deleted'
    WHEN EXISTS (SELECT FROM caller, accounts a WHERE a.id = page.id AND (
        a.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
            SELECT FROM account_access x
            WHERE x.user_id = caller.user_id AND x.household_id = a.household_id AND x.account_id = a.id OFFSET 0))) OFFSET 0) THEN 'account_closed'
    ELSE 'access_ended' END) FILTER (WHERE json IS NULL))::text AS removed_reasons,
(SELECT id FROM page ORDER BY place DESC LIMIT 1) AS last_id,
(SELECT to_char(changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM page ORDER BY place DESC LIMIT 1) AS last_changed_at, coalesce((SELECT sees = 'granted' FROM caller), false) AS complete FROM page;

-- list_own_household_changes
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), latest AS (
  SELECT greatest(f.changed_at, u.sees_since) AS as_of, f.changed_at, u.sees_since
  FROM caller JOIN firms f ON f.id = caller.firm_id JOIN users u ON u.id = caller.user_id
), sync AS (
  SELECT coalesce($6::timestamptz, as_of) AS as_of,
  CASE WHEN $5::timestamptz > greatest(now(), as_of) THEN 'future'
  WHEN $5::timestamptz < greatest(sees_since, least(changed_at, now() - interval '2160 hours')) THEN 'expired' END AS fault
  FROM latest
),
change AS (
  SELECT change.*
  FROM sync, caller, LATERAL ((
      SELECT c.changed_at, c.household_id AS id FROM access_changes c
      WHERE (c.user_id, c.changed_at, c.household_id) > (caller.user_id, $2::timestamptz, $3)
      AND (c.user_id, c.changed_at) <= (caller.user_id, (SELECT as_of FROM sync))
      AND c.user_id >= caller.user_id AND c.user_id <= caller.user_id AND (EXISTS (
          SELECT FROM households h WHERE h.firm_id = caller.firm_id AND h.id = c.household_id OFFSET 0)
        OR EXISTS (SELECT FROM household_changes l WHERE l.firm_id = caller.firm_id AND l.household_id = c.household_id OFFSET 0))
      ORDER BY c.user_id, c.changed_at, c.household_id LIMIT $4::int + 1) UNION (
      SELECT c.changed_at, c.household_id AS id
      FROM (SELECT DISTINCT household_id AS id FROM account_access WHERE user_id = caller.user_id) AS own
      CROSS JOIN LATERAL (SELECT * FROM household_changes WHERE firm_id = caller.firm_id AND household_id = own.id LIMIT 1) AS c
      WHERE (c.changed_at, c.household_id) > ($2::timestamptz, $3) AND c.changed_at <= (SELECT as_of FROM sync)
      ORDER BY c.changed_at, c.household_id LIMIT $4::int + 1)) AS change
  WHERE fault IS NULL AND sees = 'granted'
),
entry AS (
  SELECT first.*, (SELECT h.json FROM households h WHERE h.id = first.id AND (
      h.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
          SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id OFFSET 0)))) AS json
  FROM caller, (SELECT change.*, row_number() OVER (ORDER BY changed_at, id) AS place
    FROM change ORDER BY changed_at, id LIMIT $4::int + 1) AS first
),
page AS (SELECT * FROM entry WHERE place <= $4::int)
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) FROM caller) AS visibility_version, (SELECT fault FROM sync) AS fault, coalesce((SELECT to_char(as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM sync), '') AS as_of,
(SELECT count(*) FROM entry) > $4::int AS more,
count(json)::int AS count, string_agg(json, ',' ORDER BY place) AS entries,
count(*) FILTER (WHERE json IS NULL)::int AS removed_count,
string_agg(to_json(id)::text, ',' ORDER BY place) FILTER (WHERE json IS NULL) AS removed,
(jsonb_object_agg(id, CASE WHEN EXISTS (SELECT FROM households h WHERE h.id = page.id OFFSET 0) THEN 'access_ended' ELSE 'household_deleted' END) FILTER (WHERE json IS NULL))::text AS removed_reasons,
(SELECT id FROM page ORDER BY place DESC LIMIT 1) AS last_id,
(SELECT to_char(changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM page ORDER BY place DESC LIMIT 1) AS last_changed_at, coalesce((SELECT sees = 'granted' FROM caller), false) AS complete FROM page;

-- list_partners
SELECT client_id, name, status, redirect_uris, require_pkce, auth_methods,
ARRAY(SELECT key->>'kid' FROM jsonb_array_elements(jwks->'keys') WITH ORDINALITY AS k (key, place) ORDER BY place) AS key_ids,
id_token_alg, id_token_on_refresh, post_logout_redirect_uris, site, logo, privacy_url, description, limits,
grant_lifetime_days, require_acr, created_at, cardinality(secret_hashes) AS live_secrets FROM partners ORDER BY name, client_id;

-- list_providers
SELECT p.id, p.name, p.issuer, p.client_id, p.auth_method, p.claim, p.matches,
ARRAY(SELECT d.domain FROM identity_provider_domains d WHERE d.provider_id = p.id ORDER BY d.domain) AS domains,
p.firms, p.creates_firm, p.creates_role, p.scope, p.acr_values, p.created_at, p.operators, p.operators_acr,
p.developers, p.developers_acr,
(SELECT count(*)::int FROM identities i WHERE i.provider_id = p.id) AS linked_users,
(SELECT count(*)::int FROM sessions s WHERE s.provider_id = p.id AND s.expires_at > now()) AS live_sessions,
(SELECT max(i.last_login_at) FROM identities i WHERE i.provider_id = p.id) AS last_login_at
FROM identity_providers p WHERE $1::text IS NULL OR p.id = $1 ORDER BY p.id;

-- list_reads_of_grants
SELECT iso_date(l.day) AS day, n.grant_id, n.user_id, n.client_id, n.partner_name, set_size(range_agg(l.households))::float8 AS households,
sum(l.reads * set_size(l.households))::float8 AS reads
FROM read_log_grants n JOIN read_log l ON l.grant_id = n.grant_id
WHERE $1::text IS NULL AND ($2::text IS NULL OR n.user_id = $2) AND ($3::text IS NULL OR n.client_id = $3)
AND ($4::bigint IS NULL OR n.grant_id = $4) AND l.day >= coalesce($5::date, '-infinity') AND (l.day, l.grant_id) < (coalesce($6::date, 'infinity'), coalesce($7::bigint, 0))
GROUP BY l.day, n.grant_id, n.user_id, n.client_id, n.partner_name
ORDER BY l.day DESC, n.grant_id DESC LIMIT $8::int;

-- list_reads_of_household
SELECT iso_date(l.day) AS day, n.grant_id, n.user_id, n.client_id, n.partner_name, 1 AS households, sum(l.reads)::float8 AS reads
FROM (SELECT number FROM household_numbers WHERE household_id = $1) AS household
JOIN read_log l ON l.households @> household.number JOIN read_log_grants n ON n.grant_id = l.grant_id
WHERE ($2::text IS NULL OR n.user_id = $2) AND ($3::text IS NULL OR n.client_id = $3)
AND ($4::bigint IS NULL OR n.grant_id = $4) AND l.day >= coalesce($5::date, '-infinity') AND (l.day, l.grant_id) < (coalesce($6::date, 'infinity'), coalesce($7::bigint, 0))
GROUP BY l.day, n.grant_id, n.user_id, n.client_id, n.partner_name
ORDER BY l.day DESC, n.grant_id DESC LIMIT $8::int;

-- list_refused_requests
SELECT l.at, to_char(l.at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS place, l.request_id, k.method, k.route, l.status, l.ms,
k.code, k.outcome, k.authenticated, coalesce(g.client_id, l.client_id) AS client_id, p.name AS partner_name,
l.grant_id, g.user_id, g.subject, l.detail
FROM (SELECT * FROM request_log l WHERE l.status >= 400 AND l.at >= coalesce($1::timestamptz, '-infinity')
  AND l.at < coalesce($2::timestamp AT TIME ZONE 'UTC', 'infinity') AND l.status BETWEEN $3::int AND $4::int
  AND ($6::text IS NULL OR l.kind_id = ANY (ARRAY(SELECT id FROM request_kinds WHERE route = $6))) ORDER BY at DESC LIMIT $5::int) AS l
JOIN request_kinds k ON k.id = l.kind_id
LEFT JOIN grants g ON g.id = l.grant_id
LEFT JOIN partners p ON p.client_id = coalesce(g.client_id, l.client_id)
ORDER BY l.at DESC;

-- list_refused_requests_of_partner
WITH calls AS (
  SELECT l.* FROM grants g CROSS JOIN LATERAL (
    SELECT * FROM request_log l WHERE l.grant_id = g.id AND l.status / 100 >= 4 AND l.at >= coalesce($1::timestamptz, '-infinity')
    AND l.at < coalesce($2::timestamp AT TIME ZONE 'UTC', 'infinity') AND l.status BETWEEN $3::int AND $4::int
    AND ($7::text IS NULL OR l.kind_id = ANY (ARRAY(SELECT id FROM request_kinds WHERE route = $7))) ORDER BY at DESC LIMIT $5::int) AS l
  WHERE g.client_id = $6
  UNION ALL
  SELECT * FROM (SELECT * FROM request_log c WHERE c.client_id = $6 AND c.status / 100 >= 4 AND c.at >= coalesce($1::timestamptz, '-infinity')
    AND c.at < coalesce($2::timestamp AT TIME ZONE 'UTC', 'infinity') AND c.status BETWEEN $3::int AND $4::int
    AND ($7::text IS NULL OR c.kind_id = ANY (ARRAY(SELECT id FROM request_kinds WHERE route = $7))) ORDER BY at DESC LIMIT $5::int) AS own
)
SELECT l.at, to_char(l.at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS place, l.request_id, k.method, k.route, l.status, l.ms,
k.code, k.outcome, k.authenticated, coalesce(g.client_id, l.client_id) AS client_id, p.name AS partner_name,
l.grant_id, g.user_id, g.subject, l.detail
FROM (SELECT * FROM calls ORDER BY at DESC LIMIT $5::int) AS l
JOIN request_kinds k ON k.id = l.kind_id
LEFT JOIN grants g ON g.id = l.grant_id
LEFT JOIN partners p ON p.client_id = coalesce(g.client_id, l.client_id)
ORDER BY l.at DESC;

-- list_requests_of_grants
WITH chosen AS (
  SELECT id FROM grants
  WHERE ($6::text IS NULL OR user_id = $6) AND ($7::text IS NULL OR client_id = $7) AND ($8::bigint IS NULL OR id = $8)
  AND ($9::text IS NULL OR subject = $9)
), calls AS (
  SELECT l.* FROM chosen CROSS JOIN LATERAL (
    SELECT * FROM request_log l WHERE l.grant_id = chosen.id AND l.at >= coalesce($1::timestamptz, '-infinity')
    AND l.at < coalesce($2::timestamp AT TIME ZONE 'UTC', 'infinity') AND l.status BETWEEN $3::int AND $4::int
    AND ($10::text IS NULL OR l.kind_id = ANY (ARRAY(SELECT id FROM request_kinds WHERE route = $10))) ORDER BY at DESC LIMIT $5::int) AS l
  UNION ALL
  SELECT * FROM (SELECT * FROM request_log c WHERE c.client_id = $7 AND coalesce($6, $8::text, $9) IS NULL AND c.at >= coalesce($1::timestamptz, '-infinity')
    AND c.at < coalesce($2::timestamp AT TIME ZONE 'UTC', 'infinity') AND c.status BETWEEN $3::int AND $4::int
    AND ($10::text IS NULL OR c.kind_id = ANY (ARRAY(SELECT id FROM request_kinds WHERE route = $10))) ORDER BY at DESC LIMIT $5::int) AS own
)
SELECT l.at, to_char(l.at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS place, l.request_id, k.method, k.route, l.status, l.ms,
k.code, k.outcome, k.authenticated, coalesce(g.client_id, l.client_id) AS client_id, p.name AS partner_name,
l.grant_id, g.user_id, g.subject, l.detail
FROM (SELECT * FROM calls ORDER BY at DESC LIMIT $5::int) AS l
JOIN request_kinds k ON k.id = l.kind_id
LEFT JOIN grants g ON g.id = l.grant_id
LEFT JOIN partners p ON p.client_id = coalesce(g.client_id, l.client_id)
ORDER BY l.at DESC;

-- list_roles
SELECT name, sees, require_acr FROM roles ORDER BY name;

-- list_roles_rows
SELECT t.name, t.sees, t.source FROM roles t WHERE (t.name) > ($1) ORDER BY t.name LIMIT $2;

-- list_sealed_developer_totp_secrets
SELECT sealed AS sealed FROM developer_totp_secrets WHERE left(sealed, 3) = $1 LIMIT 500;

-- list_sealed_identity_providers
SELECT credential AS sealed FROM identity_providers WHERE left(credential, 3) = $1 LIMIT 500;

-- list_sealed_operator_totp_secrets
SELECT sealed AS sealed FROM operator_totp_secrets WHERE left(sealed, 3) = $1 LIMIT 500;

-- list_sealed_totp_secrets
SELECT sealed AS sealed FROM totp_secrets WHERE left(sealed, 3) = $1 LIMIT 500;

-- list_sealed_webhook_secrets
SELECT sealed AS sealed FROM webhook_secrets WHERE left(sealed, 3) = $1 LIMIT 500;

-- list_secrets
SELECT key_id, current_since, auth_url FROM secrets ORDER BY current_since DESC;

-- list_signing_keys
SELECT kid, algorithm, generation, public_jwk, private_jwk, created_at, signs_from,
private_jwk IS NULL OR created_at <= now() - interval '90 days' AS aged
FROM signing_keys ORDER BY algorithm, generation;

-- list_users_by_firm_id
SELECT t.id, t.firm_id, t.email, t.name, t.role, t.status, to_char(t.disabled_by_operator_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS disabled_by_operator_at, t.source FROM users t WHERE t.firm_id = $3 AND (t.id) > ($1) ORDER BY t.firm_id, t.id LIMIT $2;

-- list_users_rows
SELECT t.id, t.firm_id, t.email, t.name, t.role, t.status, to_char(t.disabled_by_operator_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS disabled_by_operator_at, t.source FROM users t WHERE (t.id) > ($1) ORDER BY t.id LIMIT $2;

-- list_webhook_endpoints
SELECT e.id, e.client_id, e.url, e.events, e.description, e.status, e.disabled_for, e.failing_since, e.created_at,
(SELECT coalesce(jsonb_agg(jsonb_build_object(
        'kind', s.kind, 'public_key', 'whpk_' || encode(s.public_key, 'base64'),
        'created_at', to_char(s.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'expires_at', to_char(s.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      ORDER BY s.id DESC), '[]')
  FROM webhook_secrets s WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > now())) AS secrets, (SELECT count(*)::int FROM (
    SELECT FROM webhook_messages m
    WHERE m.endpoint_id = e.id AND m.next_attempt_at IS NOT NULL LIMIT 10000) AS unfinished) AS waiting FROM webhook_endpoints e
WHERE e.client_id = $1 AND ($2::uuid IS NULL OR e.id = $2) ORDER BY e.created_at, e.id;

-- list_webhook_health
SELECT e.id, health.* FROM webhook_endpoints e CROSS JOIN LATERAL (
  SELECT max(a.at) FILTER (WHERE a.fault IS NULL) AS delivered_at,
  max(a.at) FILTER (WHERE a.fault IS NOT NULL) AS failed_at,
  (array_agg(a.fault ORDER BY a.at DESC) FILTER (WHERE a.fault IS NOT NULL))[1] AS fault
  FROM ((SELECT m.id FROM webhook_messages m WHERE m.endpoint_id = e.id
      ORDER BY m.created_at DESC, m.place DESC LIMIT 100)
    UNION
    (SELECT m.id FROM webhook_messages m WHERE m.endpoint_id = e.id AND m.next_attempt_at IS NOT NULL
      ORDER BY m.next_attempt_at DESC LIMIT 100)) AS looked
  CROSS JOIN LATERAL (SELECT * FROM webhook_attempts
    WHERE message_id = looked.id ORDER BY number DESC LIMIT 2) AS a
) AS health
WHERE e.client_id = $1;

-- list_webhook_messages
WITH page AS (
  SELECT found.* FROM webhook_endpoints e CROSS JOIN LATERAL (
    SELECT m.* FROM webhook_messages m
    WHERE m.endpoint_id = e.id AND m.created_at >= coalesce($6::timestamptz, '-infinity')
    AND ($7::uuid IS NULL OR (m.created_at, m.place) < (
        SELECT l.created_at, l.place FROM webhook_messages l JOIN webhook_endpoints o ON o.id = l.endpoint_id
        WHERE l.id = $7 AND o.client_id = $1))
    AND ($3::text IS NULL OR coalesce(m.outcome, 'waiting') = $3)
    AND ($4::text IS NULL OR m.type = $4) AND ($5::bigint IS NULL OR m.grant_id = $5)
    ORDER BY m.created_at DESC, m.place DESC LIMIT $8::int) AS found
  WHERE e.client_id = $1 AND ($2::uuid IS NULL OR e.id = $2)
  ORDER BY found.created_at DESC, found.place DESC LIMIT $8::int
)
SELECT m.id, m.endpoint_id, m.type, m.grant_id::text AS grant_id, m.created_at,
coalesce(m.outcome, 'waiting') AS state, m.attempts, m.next_attempt_at, m.finished_at,
last.status AS last_status, last.fault AS last_fault FROM page m LEFT JOIN LATERAL (SELECT a.status, a.fault FROM webhook_attempts a WHERE a.message_id = m.id
  ORDER BY a.number DESC LIMIT 1) AS last ON true ORDER BY m.created_at DESC, m.place DESC;

-- live_grants_by_period
WITH changes AS (
  SELECT created_at AS at, 1 AS change FROM grants WHERE client_id = $1
  UNION ALL
  SELECT at, -1 FROM (SELECT CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN g.expires_at ELSE g.revoked_at END FROM grants g WHERE g.client_id = $1) AS ended (at) WHERE at <= now()
), periods AS (
  SELECT to_timestamp(floor(extract(epoch FROM greatest(at, $2::timestamptz)) / $3::int) * $3::int) AS at,
  sum(change) AS change
  FROM changes GROUP BY 1
)
SELECT at, sum(change) OVER (ORDER BY at)::int AS live FROM periods ORDER BY at;

-- live_grants_of_user
SELECT g.id, p.name AS partner_name, p.logo, p.description, p.site, coalesce(
  (SELECT c.redirect_uri FROM connections c WHERE c.grant_id = g.id ORDER BY c.created_at DESC, c.id DESC LIMIT 1),
  p.redirect_uris[1]) AS redirect_uri,
g.created_at, g.last_used_at, g.expires_at,
coalesce(p.grant_lifetime_days, $2::integer) AS lifetime_days,
(g.expires_at IS NOT NULL
  AND coalesce(g.expires_at + interval '1 day' < now() + make_interval(days => coalesce(p.grant_lifetime_days, $2::integer)), true)) AS renewable,
coalesce(g.expires_at < now() + interval '7 days', false) AS ends_soon,
(SELECT max(c.refreshed_at) + interval '30 days'
  FROM connections c
  WHERE c.grant_id = g.id AND c.revoked_at IS NULL AND c.refreshed_at > now() - interval '30 days') AS unused_until,
iso_date((now() AT TIME ZONE 'UTC')::date) AS today,
(SELECT coalesce(jsonb_agg(jsonb_build_object('day', r.day, 'requests', r.requests, 'households', r.households,
        'accounts', r.accounts) ORDER BY r.day), '[]')
  FROM grant_reads r WHERE r.grant_id = g.id AND r.day > (now() AT TIME ZONE 'UTC')::date - 30) AS reads
FROM grants g JOIN partners p USING (client_id)
WHERE g.user_id = $1 AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))
ORDER BY p.name, g.id;

-- lock_connections_of_partner
WITH locked AS (
  SELECT c.id FROM grants g JOIN connections c ON c.grant_id = g.id
  WHERE g.client_id = $1 ORDER BY g.id, c.id FOR UPDATE OF c
)
SELECT count(*)::int AS connections FROM locked;

-- lock_partner
SELECT client_id FROM partners WHERE client_id = $1 FOR UPDATE;

-- login_choices
SELECT p.id, p.name, p.issuer,
EXISTS (SELECT FROM identity_provider_domains d WHERE d.provider_id = p.id) AS by_domain,
EXISTS (SELECT FROM firms WHERE local_passwords) AS passwords
FROM identity_providers p ORDER BY p.name, p.id;

-- merge_reads
WITH due AS (
  SELECT grant_id, day FROM read_log WHERE NOT merged
  GROUP BY grant_id, day HAVING count(*) >= 100 OR day < (now() AT TIME ZONE 'UTC')::date LIMIT 50
), taken AS (
  DELETE FROM read_log l USING due WHERE l.grant_id = due.grant_id AND l.day = due.day
  RETURNING l.grant_id, l.day, l.reads, l.households
), piece AS (
  SELECT grant_id, day, lower(part) AS low, upper(part) AS high, reads FROM taken, unnest(households) AS part
),
ends AS (
  SELECT grant_id, day, low AS number, reads AS change FROM piece
  UNION ALL
  SELECT grant_id, day, high, -reads FROM piece
), changes AS (
  SELECT grant_id, day, number, sum(change) AS change FROM ends GROUP BY grant_id, day, number
), steps AS (
  SELECT grant_id, day, number AS low, lead(number) OVER upwards AS high, sum(change) OVER upwards AS reads
  FROM changes WINDOW upwards AS (PARTITION BY grant_id, day ORDER BY number)
), summed AS (
  SELECT grant_id, day, reads::int AS reads, range_agg(int4range(low, high)) AS households
  FROM steps WHERE reads > 0 GROUP BY grant_id, day, reads
), added AS (
  INSERT INTO read_log (grant_id, day, reads, households, merged)
  SELECT grant_id, day, reads, households, true FROM summed
)
SELECT count(*)::int AS merged FROM due;

-- next_audit_rows
WITH last AS (
  SELECT place, hash, looked_to FROM audit_chain ORDER BY place DESC LIMIT 1
), bounds AS (
  SELECT coalesce((SELECT place FROM last), 0) AS place, (SELECT hash FROM last) AS hash,
  coalesce((SELECT looked_to FROM last), '0'::xid8) AS looked_to,
  coalesce((SELECT looked_to FROM last) >= pg_snapshot_xmax(s), false) AS is_foreign, pg_snapshot_xmin(s) AS xmin
  FROM pg_current_snapshot() AS s
)
SELECT b.place::text AS last_place, b.hash AS last_hash, b.looked_to::text AS looked_to, b.is_foreign,
b.xmin::text AS oldest_running, to_jsonb(r) || CASE WHEN EXISTS (
  SELECT FROM jsonb_path_query(r.details, '$.** ? (@.type() == "number")') AS found,
  LATERAL (SELECT (found #>> '{}')::numeric AS number) AS n
  WHERE CASE WHEN abs(number) BETWEEN 1e-300 AND 1e300 THEN number <> number::float8::text::numeric
  ELSE number <> 0 END)
THEN jsonb_build_object('exact_details', r.details::text) ELSE '{}' END AS record
FROM bounds b LEFT JOIN LATERAL (
  SELECT a.id::text AS id, to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, a.transaction::text AS transaction, a.event AS event, a.actor_kind AS actor_kind, a.actor_id AS actor_id, a.actor_name AS actor_name, a.via AS via, a.address AS address, a.user_agent AS user_agent, a.request_id AS request_id, a.target_kind AS target_kind, a.target_id AS target_id, a.firm_id AS firm_id, a.user_id AS user_id, a.client_id AS client_id, a.details AS details
  FROM audit_log a
  WHERE a.transaction >= CASE WHEN b.is_foreign THEN '0'::xid8 ELSE b.looked_to END
  AND (b.is_foreign OR a.transaction < b.xmin)
  -- A sub-select, and not NOT EXISTS: a join could read the whole chain.
  AND (SELECT true FROM audit_chain c WHERE c.audit_id = a.id) IS NULL
  ORDER BY a.transaction, a.id LIMIT $1
) AS r ON true;

-- number_households
WITH given AS (
  SELECT given.household_id, place, number
  FROM unnest($1::text[]) WITH ORDINALITY AS given (household_id, place)
  LEFT JOIN household_numbers known ON known.household_id = given.household_id
), added AS (
  INSERT INTO household_numbers (household_id)
  SELECT household_id FROM given WHERE number IS NULL ORDER BY place
  ON CONFLICT DO NOTHING
  RETURNING household_id, number
)
SELECT household_id, number FROM given WHERE number IS NOT NULL UNION ALL SELECT household_id, number FROM added;

-- number_request_kinds
WITH given AS (
  SELECT * FROM unnest($1::text[], $2::text[], $3::smallint[], $4::text[], $5::text[], $6::boolean[]) AS given (method, route, status, code, outcome, authenticated)
), known AS (
  SELECT k.id, method, route, status, code, outcome, authenticated FROM given JOIN request_kinds k USING (method, route, status, code, outcome, authenticated)
), added AS (
  INSERT INTO request_kinds (method, route, status, code, outcome, authenticated)
  SELECT method, route, status, code, outcome, authenticated FROM given EXCEPT SELECT method, route, status, code, outcome, authenticated FROM known
  ON CONFLICT DO NOTHING
  RETURNING id, method, route, status, code, outcome, authenticated
)
SELECT * FROM known UNION ALL SELECT * FROM added;

-- open_developer_session
WITH provider AS (
  SELECT FROM identity_providers WHERE id = $7::text AND developers FOR SHARE
), opened AS (
  INSERT INTO developer_sessions (hash, developer_id, login_version, expires_at, browser, system, address, provider_id,
    provider_sub, provider_sid, proved_at)
  SELECT $1, o.id, o.login_version, now() + interval '8 hours', $5, $6, $10::jsonb->>'address', $7, $8, $9,
  CASE WHEN $7::text IS NULL THEN now() ELSE least(coalesce($11::timestamptz, '-infinity'), now()) END
  FROM developers o WHERE o.id = $2::uuid AND o.login_version = $4::uuid AND o.status = 'active'
  AND ($7::text IS NULL OR EXISTS (SELECT FROM provider))
  RETURNING developer_id
), seen AS (
  UPDATE developers o SET last_login_at = now() FROM opened WHERE o.id = opened.developer_id
), ended AS (
  DELETE FROM developer_sessions WHERE EXISTS (SELECT FROM opened) AND (hash = $3 OR hash = ANY (ARRAY(
        SELECT hash FROM developer_sessions WHERE hash IN (
          SELECT hash FROM developer_sessions WHERE developer_id = $2::uuid
          ORDER BY last_seen_at DESC OFFSET 9
        ) FOR UPDATE SKIP LOCKED -- does not wait for rows that the purge has locked
  )))
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (opened.developer_id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('provider', $7::text, 'sub', $8::text))
  FROM (SELECT ($10)::jsonb AS origin) AS o, unnest(ARRAY['developer.logged_in']) AS event, opened
)
SELECT developer_id::text AS id FROM opened;

-- open_operator_session
WITH provider AS (
  SELECT FROM identity_providers WHERE id = $7::text AND operators FOR SHARE
), opened AS (
  INSERT INTO operator_sessions (hash, operator_id, login_version, expires_at, browser, system, address, provider_id,
    provider_sub, provider_sid, proved_at)
  SELECT $1, o.id, o.login_version, now() + interval '8 hours', $5, $6, $10::jsonb->>'address', $7, $8, $9,
  CASE WHEN $7::text IS NULL THEN now() ELSE least(coalesce($11::timestamptz, '-infinity'), now()) END
  FROM operators o WHERE o.id = $2::uuid AND o.login_version = $4::uuid AND o.status = 'active'
  AND ($7::text IS NULL OR EXISTS (SELECT FROM provider))
  RETURNING operator_id
), seen AS (
  UPDATE operators o SET last_login_at = now() FROM opened WHERE o.id = opened.operator_id
), ended AS (
  DELETE FROM operator_sessions WHERE EXISTS (SELECT FROM opened) AND (hash = $3 OR hash = ANY (ARRAY(
        SELECT hash FROM operator_sessions WHERE hash IN (
          SELECT hash FROM operator_sessions WHERE operator_id = $2::uuid
          ORDER BY last_seen_at DESC OFFSET 9
        ) FOR UPDATE SKIP LOCKED -- does not wait for rows that the purge has locked
  )))
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'operator', (opened.operator_id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('provider', $7::text, 'sub', $8::text))
  FROM (SELECT ($10)::jsonb AS origin) AS o, unnest(ARRAY['operator.logged_in']) AS event, opened
)
SELECT operator_id::text AS id FROM opened;

-- open_session
WITH old AS (
  DELETE FROM sessions WHERE hash = $3 OR hash = ANY (ARRAY(
      SELECT hash FROM sessions WHERE hash IN (
        SELECT hash FROM sessions WHERE user_id = $2 ORDER BY last_seen_at DESC OFFSET 49
      ) FOR UPDATE SKIP LOCKED -- does not wait for rows that the purge has locked
  ))
  RETURNING id, user_id, CASE WHEN hash = $3 THEN 'replaced' ELSE 'too_many' END AS cause
), remembered AS (
  INSERT INTO user_languages (user_id, language)
  SELECT $2, $16::text
  WHERE $16::text IS NOT NULL AND NOT EXISTS (SELECT FROM user_languages WHERE user_id = $2 AND language = $16)
  ON CONFLICT (user_id) DO UPDATE SET language = excluded.language
), browser_mails AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  SELECT $17::bytea, 1, now() + interval '1 hour' WHERE $17 IS NOT NULL
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'new_browser', 'to', u.email, 'name', u.name,
    'language', $16::text,
    'facts', jsonb_build_object('browser', $8::text, 'system', $9::text, 'at', now())),
  now() + interval '2 days'
  FROM browser_mails b JOIN users u ON u.id = $2 WHERE b.count <= 5
), opened AS (
  INSERT INTO sessions (hash, user_id, auth_time, expires_at, login_version, acr, amr, browser, system, request_id,
    auth_time_is_known, provider_id, provider_sub, provider_sid, provider_id_token)
  VALUES ($1, $2, $4, now() + interval '8 hours', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
  RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'session', (s.id)::text,
  (NULL)::text, (s.user_id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('acr', s.acr, 'amr', s.amr, 'provider', s.provider_id, 'browser', s.browser, 'system', s.system))
  FROM (SELECT ($18)::jsonb AS origin) AS o, unnest(ARRAY['login.succeeded']) AS event, opened s
), recorded_ends AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'session', (s.id)::text,
  (NULL)::text, (s.user_id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', s.cause))
  FROM (SELECT ($18)::jsonb AS origin) AS o, unnest(ARRAY['session.ended']) AS event, old s
)
SELECT user_id FROM opened;

-- operator_provider_rules
SELECT operators_acr AS acr FROM identity_providers WHERE id = $1 AND operators;

-- operator_providers
SELECT id, name, issuer FROM identity_providers WHERE operators ORDER BY name, id;

-- overview_concerns
SELECT kind, id, name, amount::float8, at, total::int
FROM (SELECT kind, id, name, amount, at, count(*) OVER (PARTITION BY kind) AS total,
  row_number() OVER (PARTITION BY kind ORDER BY amount DESC, at, id) AS place
  FROM (
    SELECT CASE WHEN n.refresh_refused >= 20 THEN 'refused_refreshes' ELSE 'failing_partner' END AS kind,
    n.client_id AS id, p.name, CASE WHEN n.refresh_refused >= 20 THEN n.refresh_refused ELSE n.bad END AS amount,
    n.since AS at
    FROM (SELECT client_id, sum(refused + failed) FILTER (WHERE hour > now() - interval '1 day') AS bad,
      sum(refused + failed) FILTER (WHERE hour <= now() - interval '1 day') AS before,
      sum(calls) FILTER (WHERE hour > now() - interval '1 day') AS calls,
      sum(refresh_refused) FILTER (WHERE hour > now() - interval '1 day') AS refresh_refused,
      min(hour) FILTER (WHERE refused + failed > 0 AND hour > now() - interval '1 day') AS since
      FROM call_hours WHERE hour > now() - 2 * interval '1 day' AND client_id <> '' GROUP BY client_id) AS n
    JOIN partners p USING (client_id)
    WHERE n.bad >= 20 AND n.bad > 2 * coalesce(n.before, 0) AND n.bad * 20 >= n.calls UNION ALL
    SELECT 'signing_key', k.kid, k.algorithm, 0, k.signs_from + interval '90 days'
    FROM signing_keys k
    WHERE k.private_jwk IS NOT NULL AND k.signs_from < now() - interval '92 days'
    AND NOT EXISTS (SELECT FROM signing_keys s WHERE s.algorithm = k.algorithm AND s.generation > k.generation) UNION ALL
    SELECT 'api_key', id, name, 0, expires_at FROM api_keys
    WHERE revoked_at IS NULL AND expires_at BETWEEN now() - interval '1 day' AND now() + interval '14 days' UNION ALL
    SELECT 'old_secret', client_id, name, cardinality(secret_hashes), NULL::timestamptz FROM partners
    WHERE cardinality(secret_hashes) > 1 AND status = 'active' UNION ALL
    SELECT 'waiting_mails', '', '', count(*), min(created_at) FROM outbox WHERE kind = 'mail' AND attempts >= 3 HAVING count(*) > 0 UNION ALL
    SELECT 'ending_consents', g.client_id, p.name, count(*), min(g.expires_at) FROM grants g JOIN partners p USING (client_id)
    WHERE g.end_notice_at <= now() + interval '7 days' AND g.expires_at <= now() + interval '14 days' AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))
    GROUP BY g.client_id, p.name UNION ALL
    SELECT 'unused_link', o.id::text, o.name, 0, l.expires_at FROM operators o JOIN operator_links l ON l.operator_id = o.id
    WHERE l.expires_at < now() AND o.password_hash IS NULL AND o.status = 'active'
    AND NOT EXISTS (SELECT FROM operator_identities i WHERE i.operator_id = o.id) UNION ALL
    SELECT 'late_import', '', '', 0, max(at) FROM audit_log
    WHERE target_kind = 'directory' AND event = 'directory.imported' AND at > now() - interval '14 days'
    HAVING count(DISTINCT at::date) >= 5 AND max(at) < now() - interval '36 hours' UNION ALL
    SELECT 'audit_checkpoint', '', '', count(*), min(at) FROM audit_log
    WHERE at BETWEEN now() - interval '7 days' AND now() - interval '2 hours'
    AND at > coalesce((SELECT max(at) FROM audit_checkpoints), '-infinity')
    HAVING count(*) > 0) AS found (kind, id, name, amount, at)) AS numbered
WHERE place <= 3 ORDER BY kind, place;

-- page_of_grants
SELECT g.id, g.user_id, u.email, g.client_id, p.name AS partner_name, coalesce(
  (SELECT c.redirect_uri FROM connections c WHERE c.grant_id = g.id ORDER BY c.created_at DESC, c.id DESC LIMIT 1),
  p.redirect_uris[1]) AS redirect_uri, g.created_at,
g.expires_at, CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN g.expires_at ELSE g.revoked_at END AS revoked_at,
CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'expiry' ELSE g.revoked_by END AS revoked_by FROM grants g JOIN partners p USING (client_id) JOIN users u ON u.id = g.user_id
WHERE g.id > coalesce($1::bigint, 0) AND ($3::text IS NULL OR u.id = $3 OR u.email_folded = $3)
AND ($4::text IS NULL OR g.client_id = $4) AND ($5 OR (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true)))
ORDER BY g.id LIMIT $2;

-- page_of_imports
SELECT id, at, actor_kind, actor_id, address, details->'files' AS files,
coalesce((details->>'pruned')::boolean, false) AS pruned
FROM audit_log
WHERE target_kind = 'directory' AND target_id = 'all' AND event = 'directory.imported'
AND id < coalesce($1::bigint, 9223372036854775807)
ORDER BY id DESC LIMIT $2;

-- page_of_partner_grants
SELECT g.id, g.subject, g.created_at, g.last_used_at, g.expires_at, CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN g.expires_at ELSE g.revoked_at END AS ended_at,
CASE WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change'
WHEN g.revoked_by = 'user' THEN 'ended_by_user'
WHEN g.revoked_by = 'operator' THEN 'ended_by_operator'
WHEN g.revoked_at IS NOT NULL THEN 'ended'
WHEN u.status <> 'active' THEN 'user_disabled' END AS cause FROM grants g JOIN users u ON u.id = g.user_id
WHERE g.client_id = $1 AND ($2::bigint IS NULL OR g.id < $2) AND ($4::text IS NULL OR g.subject = $4)
AND ($5::text = 'all' OR ($5 = 'live') = (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true)))
ORDER BY g.id DESC LIMIT $3;

-- page_of_partners
SELECT client_id, name, status, redirect_uris, require_pkce, auth_methods,
ARRAY(SELECT key->>'kid' FROM jsonb_array_elements(jwks->'keys') WITH ORDINALITY AS k (key, place) ORDER BY place) AS key_ids,
id_token_alg, id_token_on_refresh, post_logout_redirect_uris, site, logo, privacy_url, description, limits,
grant_lifetime_days, require_acr, created_at, cardinality(secret_hashes) AS live_secrets FROM partners
WHERE client_id > coalesce($1::text, '') AND ($3::text IS NULL OR status = $3) ORDER BY client_id LIMIT $2;

-- page_of_partners_by_text
SELECT client_id, name, status, created_at FROM partners
WHERE (client_id = $1 OR strpos(lower(name), lower($1)) > 0) AND client_id > coalesce($2::text, '')
AND ($4::text IS NULL OR status = $4) ORDER BY client_id LIMIT $3;

-- page_of_users
SELECT u.id, u.email, u.name, u.firm_id, u.role, u.status, u.disabled_by_operator_at FROM users u
WHERE u.id > coalesce($1::text, '') AND ($3::text IS NULL OR u.firm_id = $3) AND ($4::text IS NULL OR u.status = $4)
ORDER BY u.id LIMIT $2;

-- page_of_users_by_text
SELECT id, email, name, firm_id, role, status, disabled_by_operator_at FROM users
WHERE (id = $1 OR strpos(email_folded, $2) > 0 OR strpos(lower(name), lower($1)) > 0) AND id > coalesce($3::text, '')
AND ($5::text IS NULL OR firm_id = $5) AND ($6::text IS NULL OR status = $6) ORDER BY id LIMIT $4;

-- partner_calls_by_period
SELECT to_timestamp(floor(extract(epoch FROM hour) / $2::int) * $2::int) AS at,
sum(calls)::float8 AS calls, sum(refused)::float8 AS refused, sum(failed)::float8 AS failed, sum(refresh_refused)::float8 AS refresh_refused, ARRAY[sum(slower[1])::float8, sum(slower[2])::float8, sum(slower[3])::float8, sum(slower[4])::float8, sum(slower[5])::float8, sum(slower[6])::float8, sum(slower[7])::float8, sum(slower[8])::float8, sum(slower[9])::float8, sum(slower[10])::float8, sum(slower[11])::float8, sum(slower[12])::float8, sum(slower[13])::float8] AS slower
FROM call_hours WHERE hour >= $1 AND client_id = $3 GROUP BY 1 ORDER BY 1;

-- partner_concerns
SELECT kind, id, name, amount::float8, at FROM (
  SELECT 'suspended', '', '', 0, NULL::timestamptz FROM partners WHERE client_id = $1 AND status = 'suspended' UNION ALL
  SELECT CASE e.status WHEN 'disabled' THEN 'webhook_disabled' ELSE 'webhook_failing' END, e.id::text, e.url,
  (SELECT count(*)::int FROM (
      SELECT FROM webhook_messages m
      WHERE m.endpoint_id = e.id AND m.next_attempt_at IS NOT NULL LIMIT 10000) AS unfinished), e.failing_since
  FROM webhook_endpoints e
  WHERE e.client_id = $1
  AND (e.disabled_for IN ('failing', 'gone', 'operator') OR e.status = 'active' AND e.failing_since IS NOT NULL) UNION ALL
  SELECT 'refused_refreshes', '', '', sum(refresh_refused), min(hour) FROM call_hours
  WHERE client_id = $1 AND hour > now() - interval '1 day' AND refresh_refused > 0 HAVING count(*) > 0 UNION ALL
  SELECT 'limits', '', '', sum(calls), min(hour) FROM call_hours
  WHERE client_id = $1 AND hour > now() - interval '1 day' AND kind = 'limited' HAVING count(*) > 0 UNION ALL
  SELECT 'no_credentials', '', '', 0, NULL FROM partners
  WHERE client_id = $1 AND cardinality(secret_hashes) + cardinality(key_thumbprints) = 0 UNION ALL
  SELECT 'old_secret', '', '', cardinality(secret_hashes), NULL FROM partners
  WHERE client_id = $1 AND cardinality(secret_hashes) > 1 UNION ALL
  SELECT 'api_key', id, name, 0, expires_at FROM developer_keys
  WHERE client_id = $1 AND revoked_at IS NULL AND expires_at BETWEEN now() - interval '1 day' AND now() + 14 * interval '1 day' UNION ALL
  SELECT 'deprecated', '', '', sum(calls), max(hour) FROM call_hours
  WHERE client_id = $1 AND hour > now() - 7 * interval '1 day' AND kind LIKE 'deprecated %' HAVING count(*) > 0 UNION ALL
  SELECT 'ending_consents', '', '', count(*), min(g.expires_at) FROM grants g
  WHERE g.client_id = $1 AND g.expires_at <= now() + 14 * interval '1 day' AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true)) HAVING count(*) > 0) AS found (kind, id, name, amount, at)
ORDER BY kind, id;

-- partners_of_locators
SELECT encode(access_locator_hash, 'hex') AS locator_hash, client_id
FROM connections WHERE access_locator_hash IN (SELECT decode(locator, 'hex') FROM unnest($1::text[]) AS locator);

-- partners_to_compare
SELECT p.client_id, p.name,
EXISTS (SELECT FROM going_live_requests r
  WHERE r.client_id = p.client_id AND r.sandbox = $2 AND r.sandbox_client_id = $3) AS is_same_application,
ARRAY(SELECT unnest(p.redirect_uris) INTERSECT SELECT unnest($1::text[])) AS shared_uris
FROM partners p;

-- passkeys_of_user
SELECT id, credential_id, transports, name, synced, created_at, last_used_at
FROM passkeys WHERE user_id = $1 ORDER BY id;

-- plan_audit_removal
SELECT to_char((date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => $1::int)) AT TIME ZONE 'UTC' AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS before,
(range_agg(int8range(c.place, c.place + 1)) + $2::int8multirange)::text AS places
FROM audit_log a JOIN audit_chain c ON c.audit_id = a.id AND c.audit_at = a.at
WHERE a.at < (date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => $1::int)) AT TIME ZONE 'UTC' HAVING count(*) > 0;

-- postpone_message
UPDATE outbox SET next_attempt_at = now() + make_interval(secs => $3)
WHERE id = $1 AND attempts = $2 RETURNING id;

-- purge_access_changes
WITH gone AS (
  DELETE FROM access_changes WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM access_changes s WHERE changed_at < now() - interval '2160 hours' - interval '1 minute' ORDER BY changed_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_account_access_changes
WITH gone AS (
  DELETE FROM account_access_changes WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM account_access_changes s WHERE changed_at < now() - interval '2160 hours' - interval '1 minute' ORDER BY changed_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_account_changes
WITH gone AS (
  DELETE FROM account_changes WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM account_changes s WHERE changed_at < now() - interval '2160 hours' - interval '1 minute' ORDER BY changed_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_call_days
WITH gone AS (
  DELETE FROM call_days WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM call_days s WHERE day < now() - interval '13 months' ORDER BY day LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_call_hours
WITH gone AS (
  DELETE FROM call_hours WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM call_hours s WHERE hour < now() - interval '35 days' ORDER BY hour LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_client_assertions
WITH gone AS (
  DELETE FROM client_assertions WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM client_assertions s WHERE expires_at < now() - interval '1 minute' ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_connections
WITH page AS (
  SELECT id FROM connections WHERE id > $1::bigint ORDER BY id LIMIT 1000
), gone AS (
  DELETE FROM connections WHERE ctid = ANY (ARRAY(
      SELECT c.ctid FROM connections c
      WHERE c.id = ANY (ARRAY(SELECT id FROM page)) AND c.code_expires_at < now() - interval '1 day'
      AND (c.refreshed_at IS NULL OR c.refreshed_at < now() - interval '34 days')
      AND (c.refreshed_at IS NULL OR c.expired_at IS NOT NULL OR c.revoked_at IS NOT NULL) AND NOT EXISTS (SELECT FROM deployment WHERE accepts_tokens_ahead_until > now())
      FOR UPDATE OF c SKIP LOCKED
  )) RETURNING 1
)
SELECT (SELECT count(*)::int FROM gone) AS removed,
CASE WHEN count(*) = 1000 THEN max(id) END AS last FROM page;

-- purge_developer_links
WITH gone AS (
  DELETE FROM developer_links WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM developer_links s WHERE expires_at < now() - interval '30 days' ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_developer_sessions
WITH gone AS (
  DELETE FROM developer_sessions WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM developer_sessions s WHERE NOT (s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes') ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_grant_reads
WITH gone AS (
  DELETE FROM grant_reads WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM grant_reads s WHERE day <= (now() AT TIME ZONE 'UTC')::date - 35 ORDER BY day LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_household_changes
WITH gone AS (
  DELETE FROM household_changes WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM household_changes s WHERE changed_at < now() - interval '2160 hours' - interval '1 minute' ORDER BY changed_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_idempotent_requests
WITH gone AS (
  DELETE FROM idempotent_requests WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM idempotent_requests s WHERE created_at <= now() - interval '24 hours' ORDER BY created_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_limit_windows
WITH gone AS (
  DELETE FROM limit_windows WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM limit_windows s WHERE window_at < now() - interval '2 minutes' ORDER BY window_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_login_failures
WITH gone AS (
  DELETE FROM login_failures WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM login_failures s WHERE resets_at <= now() ORDER BY resets_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_logout_tokens
WITH gone AS (
  DELETE FROM logout_tokens WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM logout_tokens s WHERE expires_at < now() ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_lost_heartbeats
WITH gone AS (
  DELETE FROM lost_heartbeats WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM lost_heartbeats s WHERE lost_from < now() - interval '13 months' AND lost_to < now() - interval '13 months' ORDER BY lost_from LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_operator_links
WITH gone AS (
  DELETE FROM operator_links WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM operator_links s WHERE expires_at < now() - interval '30 days' ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_operator_sessions
WITH gone AS (
  DELETE FROM operator_sessions WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM operator_sessions s WHERE NOT (s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes') ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_outbox
WITH gone AS (
  DELETE FROM outbox WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM outbox s WHERE expires_at < now() - interval '1 day' ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_password_links
WITH gone AS (
  DELETE FROM password_links WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM password_links s WHERE expires_at <= now() ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_read_log
WITH gone AS (
  DELETE FROM read_log WHERE ctid = ANY (ARRAY(
      SELECT l.ctid FROM read_log l WHERE l.day < (now() AT TIME ZONE 'UTC' - make_interval(months => $1))::date
      ORDER BY l.day LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_read_log_grants
WITH gone AS (
  DELETE FROM read_log_grants n
  WHERE NOT EXISTS (SELECT FROM grants g WHERE g.id = n.grant_id OFFSET 0)
  AND NOT EXISTS (SELECT FROM read_log l WHERE l.grant_id = n.grant_id OFFSET 0) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_sessions
WITH gone AS (
  DELETE FROM sessions WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM sessions s WHERE NOT (s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes') ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_uptimes
WITH gone AS (
  DELETE FROM uptimes WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM uptimes s WHERE up_from < now() - interval '13 months' AND up_to < now() - interval '13 months' ORDER BY up_from LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_used_challenges
WITH gone AS (
  DELETE FROM used_challenges WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM used_challenges s WHERE expires_at < now() - interval '1 minute' ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_webhook_messages
WITH gone AS (
  DELETE FROM webhook_messages WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM webhook_messages s WHERE coalesce(finished_at, due_since) < now() - interval '30 days' ORDER BY coalesce(finished_at, due_since) LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- purge_webhook_secrets
WITH gone AS (
  DELETE FROM webhook_secrets WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM webhook_secrets s WHERE expires_at < now() ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*)::int AS removed FROM gone;

-- read_deployment_facts
WITH due AS (
  SELECT next_attempt_at FROM outbox WHERE next_attempt_at <= now() ORDER BY next_attempt_at LIMIT 10000
), working AS (
  SELECT e.id FROM webhook_endpoints e JOIN partners p ON p.client_id = e.client_id
  WHERE e.status = 'active' AND e.failing_since IS NULL AND p.status = 'active'
)
SELECT (SELECT count(*)::integer FROM due) AS outbox_messages,
coalesce((SELECT extract(epoch FROM now() - min(next_attempt_at)) FROM due), 0)::float8 AS outbox_oldest_seconds,
(SELECT count(*)::integer
  FROM (SELECT FROM working w JOIN webhook_messages m ON m.endpoint_id = w.id AND m.next_attempt_at <= now()
    LIMIT 10000) AS due_webhook) AS webhook_messages,
coalesce((SELECT extract(epoch FROM now() - min(oldest.next_attempt_at))
    FROM working w CROSS JOIN LATERAL (
      SELECT m.next_attempt_at FROM webhook_messages m WHERE m.endpoint_id = w.id AND m.next_attempt_at <= now()
      ORDER BY m.next_attempt_at LIMIT 1) AS oldest), 0)::float8 AS webhook_oldest_seconds,
(SELECT jsonb_build_object('working', count(*) FILTER (WHERE e.status = 'active' AND e.failing_since IS NULL),
    'failing', count(*) FILTER (WHERE e.status = 'active' AND e.failing_since IS NOT NULL),
    'disabled', count(*) FILTER (WHERE e.status = 'disabled'))
  FROM webhook_endpoints e) AS webhook_endpoints,
(SELECT coalesce(jsonb_object_agg(algorithm, age), '{}')
  FROM (SELECT algorithm, extract(epoch FROM now() - max(created_at))::float8 AS age
    FROM signing_keys GROUP BY algorithm) AS newest) AS signing_key_ages;

-- read_limits
SELECT now() AS now, coalesce(jsonb_object_agg(client_id, limits) FILTER (WHERE limits <> '{}'), '{}') AS limits
FROM partners;

-- read_status
WITH up AS (
  SELECT min(up_from) AS since, max(up_to) AS until,
  range_agg(tstzrange(up_from, up_to + interval '11 seconds')) AS spans FROM uptimes
), down AS (
  SELECT coalesce(range_agg(tstzrange(lower(gap) - interval '11 seconds', upper(gap))), '{}') AS spans
  FROM up, unnest(tstzmultirange(tstzrange(since, greatest(since, now()))) - spans) AS gap
), lost AS (
  SELECT coalesce(range_agg(tstzrange(lost_from, lost_to)), '{}') AS spans FROM lost_heartbeats
)
SELECT now() AS now, up.since AS first_heartbeat, coalesce(up.until + interval '11 seconds' < now(), false) AS is_silent,
(SELECT coalesce(jsonb_agg(jsonb_build_object('from', lower(span), 'to', upper(span)) ORDER BY span), '[]')
  FROM unnest(down.spans - lost.spans) AS span) AS outages, (SELECT coalesce(jsonb_agg(jsonb_build_object('from', lower(span), 'to', upper(span)) ORDER BY span), '[]')
  FROM unnest(lost.spans) AS span) AS unknown,
(SELECT coalesce(jsonb_agg(jsonb_build_object(
        'day', day, 'kind', kind, 'calls', calls, 'failed', failed, 'slower', slower)
      ORDER BY day, kind), '[]')
  FROM call_days
  WHERE day >= (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '12 months')::date) AS days
FROM up, down, lost;

-- record_connection
WITH earlier AS (
  SELECT c.redemptions = 0 AND c.code_expires_at > now() AND c.revoked_at IS NULL AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true)) AS usable
  FROM connections c JOIN grants g ON g.id = c.grant_id WHERE c.code_hash = $4
), parties AS (
  SELECT u.id, p.client_id, coalesce(p.grant_lifetime_days, $12::integer) AS days
  FROM partners p, users u JOIN firms f ON f.id = u.firm_id JOIN roles r ON r.name = u.role
  WHERE u.id = $1 AND u.status = 'active' AND p.client_id = $2 AND p.status = 'active'
  AND $5 = ANY (p.redirect_uris)
  AND greatest(p.require_level, f.require_level, r.require_level) <= $14
  FOR SHARE OF u
), closed AS (
  UPDATE grants g SET revoked_at = g.expires_at FROM parties p
  WHERE g.user_id = p.id AND g.client_id = p.client_id AND g.revoked_at IS NULL AND g.expires_at <= coalesce(g.revoked_at, now())
  AND NOT EXISTS (SELECT FROM earlier) AND NOT $9::boolean
  RETURNING g.id, g.user_id, g.client_id, g.expires_at
), given AS (
  INSERT INTO grants (user_id, client_id, subject, expires_at, end_notice_at)
  SELECT id, client_id,
  coalesce((SELECT g.subject FROM grants g WHERE g.user_id = $1 AND g.client_id = $2 LIMIT 1), $3),
  now() + make_interval(days => days), CASE WHEN days > 7 THEN now() + make_interval(days => days - 7) END
  FROM parties, (SELECT count(*) FROM closed) AS after_closing
  WHERE NOT EXISTS (SELECT FROM earlier) AND NOT $9
  ON CONFLICT (user_id, client_id) WHERE revoked_at IS NULL
  DO UPDATE SET expires_at = excluded.expires_at, end_notice_at = excluded.end_notice_at
  RETURNING id, user_id, client_id, expires_at, created_at = now() AS is_new
), kept AS (
  UPDATE grants g SET client_id = g.client_id FROM parties p
  WHERE g.user_id = p.id AND g.client_id = p.client_id AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))
  AND NOT EXISTS (SELECT FROM earlier) AND $9
  RETURNING g.id
), started AS (
  INSERT INTO connections (grant_id, client_id, code_hash, code_expires_at, redirect_uri, code_challenge, nonce, auth_time,
    acr, amr, acr_level)
  SELECT id, $2, $4, now() + interval '60 seconds', $5, $6, $7, $8, $10, $11, $14
  FROM (SELECT id FROM given UNION ALL SELECT id FROM kept) AS consent
  RETURNING id
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'connected', 'to', u.email, 'name', u.name,
    'language', $13::text,
    'facts', jsonb_build_object('partner', p.name, 'at', now())),
  now() + interval '2 days'
  FROM given JOIN users u ON u.id = $1 JOIN partners p ON p.client_id = $2
  WHERE given.is_new AND $13::text IS NOT NULL
  AND (SELECT count(*) FROM grants g
    WHERE g.user_id = $1 AND g.created_at > now() - interval '1 hour') < 10
), expiry AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'grant', (g.id)::text,
  (NULL)::text, (g.user_id)::text, (g.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('expired_at', g.expires_at))
  FROM (SELECT ($15)::jsonb AS origin) AS o, unnest(ARRAY['grant.expired']) AS event, closed g
), creation AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'grant', (g.id)::text,
  (NULL)::text, (g.user_id)::text, (g.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('connection', started.id, 'redirect_uri', $5::text, 'acr', $10::text, 'expires_at', g.expires_at))
  FROM (SELECT ($15)::jsonb AS origin) AS o, unnest(ARRAY['grant.created']) AS event, given g, started WHERE g.is_new
), renewal AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'grant', (g.id)::text,
  (NULL)::text, (g.user_id)::text, (g.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('connection', started.id, 'redirect_uri', $5::text, 'acr', $10::text, 'expires_at', g.expires_at))
  FROM (SELECT ($15)::jsonb AS origin) AS o, unnest(ARRAY['grant.renewed']) AS event, given g, started WHERE NOT g.is_new
)
SELECT true AS usable FROM started
UNION ALL
SELECT usable FROM earlier WHERE NOT usable OR EXISTS (SELECT FROM parties);

-- record_current_secret
WITH used AS (
  INSERT INTO secrets AS s (key_id, current_since, auth_url) VALUES ($1, now(), $2)
  ON CONFLICT (key_id) DO UPDATE
  SET auth_url = excluded.auth_url,
  current_since = CASE WHEN EXISTS (SELECT FROM secrets other WHERE other.current_since > s.current_since)
  THEN now() ELSE s.current_since END
  RETURNING key_id, current_since, auth_url
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'secret', (used.key_id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object())
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['secret.rotated']) AS event, used WHERE used.current_since = now() AND EXISTS (SELECT FROM secrets)
)
SELECT key_id, current_since, auth_url FROM used;

-- record_demo
UPDATE deployment SET demo = true;

-- record_failed_developer_login
INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
  target_id, firm_id, user_id, client_id, details)
SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
origin->>'user_agent', origin->>'request_id', 'developer', (developers.id)::text,
(NULL)::text, (NULL)::text, (NULL)::text,
jsonb_strip_nulls(jsonb_build_object('reason', $2::text))
FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['developer.login_failed']) AS event, developers WHERE email_folded = $1;

-- record_failed_operator_login
INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
  target_id, firm_id, user_id, client_id, details)
SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
origin->>'user_agent', origin->>'request_id', 'operator', (operators.id)::text,
(NULL)::text, (NULL)::text, (NULL)::text,
jsonb_strip_nulls(jsonb_build_object('reason', $2::text))
FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['operator.login_failed']) AS event, operators WHERE email_folded = $1;

-- record_lost_heartbeats
INSERT INTO lost_heartbeats (lost_from, lost_to)
SELECT max(up_to), now() FROM uptimes HAVING max(up_to) < now() ON CONFLICT DO NOTHING;

-- record_person_export
WITH record AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (u.id)::text,
  (u.firm_id)::text, (u.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object())
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['person.exported']) AS event, users u WHERE u.id = $1 OR u.email_folded = $1
)
SELECT;

-- record_webhook_delivery
WITH endpoint AS (
  SELECT * FROM webhook_endpoints WHERE id = (SELECT endpoint_id FROM webhook_messages WHERE id = $1) FOR NO KEY UPDATE
), m AS (
  UPDATE webhook_messages n SET next_attempt_at = NULL, taken_by = NULL, outcome = 'delivered', finished_at = now()
  FROM endpoint WHERE n.id = $1 AND n.endpoint_id = endpoint.id AND n.outcome IS NULL RETURNING n.*
), attempt AS (
  INSERT INTO webhook_attempts (message_id, number, duration_ms, status, fault, response)
  SELECT m.id, $2, $3, $4::int, $5::text, $6::text FROM m ON CONFLICT DO NOTHING
), old_attempts AS (
  DELETE FROM webhook_attempts a USING m WHERE a.message_id = m.id AND a.number <= $2 - 100
), next AS (
  UPDATE webhook_messages n SET next_attempt_at = now()
  WHERE n.id = (SELECT w.id FROM m JOIN webhook_messages w ON w.endpoint_id = m.endpoint_id AND w.grant_id = m.grant_id
    WHERE m.outcome IS NOT NULL AND w.place > m.place AND w.next_attempt_at IS NOT NULL
    ORDER BY w.place LIMIT 1)
), e AS (
  UPDATE webhook_endpoints e SET failing_since = NULL FROM m WHERE e.id = m.endpoint_id AND e.failing_since IS NOT NULL
)
SELECT CASE WHEN attempts = 1 THEN extract(epoch FROM now() - created_at)::float8 END AS delay_seconds FROM m;

-- record_webhook_failure
WITH endpoint AS (
  SELECT * FROM webhook_endpoints WHERE id = (SELECT endpoint_id FROM webhook_messages WHERE id = $1) FOR NO KEY UPDATE
), m AS (
  UPDATE webhook_messages n
  SET failures = n.failures + 1, taken_by = NULL,
  next_attempt_at = now() + make_interval(secs => $7::float8 * (1 + random() / 10)),
  outcome = CASE WHEN $7 IS NULL THEN 'given_up' END, finished_at = CASE WHEN $7 IS NULL THEN now() END
  FROM endpoint
  WHERE n.id = $1 AND n.endpoint_id = endpoint.id AND n.attempts = $2 AND n.outcome IS NULL RETURNING n.*
), attempt AS (
  INSERT INTO webhook_attempts (message_id, number, duration_ms, status, fault, response)
  SELECT m.id, $2, $3, $4::int, $5::text, $6::text FROM m ON CONFLICT DO NOTHING
), old_attempts AS (
  DELETE FROM webhook_attempts a USING m WHERE a.message_id = m.id AND a.number <= $2 - 100
), next AS (
  UPDATE webhook_messages n SET next_attempt_at = now()
  WHERE n.id = (SELECT w.id FROM m JOIN webhook_messages w ON w.endpoint_id = m.endpoint_id AND w.grant_id = m.grant_id
    WHERE m.outcome IS NOT NULL AND w.place > m.place AND w.next_attempt_at IS NOT NULL
    ORDER BY w.place LIMIT 1)
), changed AS (
  UPDATE webhook_endpoints e
  SET failing_since = coalesce(e.failing_since, now()), status = CASE WHEN ($8::boolean OR e.failing_since <= now() - interval '5 days') THEN 'disabled' ELSE e.status END,
  disabled_for = CASE WHEN $8 THEN 'gone' WHEN ($8::boolean OR e.failing_since <= now() - interval '5 days') THEN 'failing' END,
  disabled_mail_at = CASE WHEN $10::boolean AND ($8::boolean OR e.failing_since <= now() - interval '5 days') AND coalesce(e.disabled_mail_at < now() - interval '1 day', true)
  THEN now() ELSE e.disabled_mail_at END
  FROM m WHERE e.id = m.endpoint_id AND e.status = 'active' AND (e.failing_since IS NULL OR ($8::boolean OR e.failing_since <= now() - interval '5 days')) RETURNING e.*
), e AS (
  SELECT * FROM changed WHERE status = 'disabled'
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'webhook', (e.id)::text,
  (NULL)::text, (NULL)::text, (e.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', e.disabled_for, 'failing_since', e.failing_since))
  FROM (SELECT ($9)::jsonb AS origin) AS o, unnest(ARRAY['webhook.disabled']) AS event, e
), counted AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  SELECT sha256(convert_to('webhook disabled ' || e.client_id, 'UTF8')), 1, now() + interval '1 day' FROM e
  WHERE e.disabled_mail_at = now()
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'webhook_disabled', 'to', u.email, 'name', u.name,
    'language', 'en',
    'facts', jsonb_build_object('partner', p.name, 'client_id', p.client_id, 'host', coalesce(substring(e.url FROM '^https?://(\[[0-9a-f:.]+\]|[a-z0-9._-]{1,253})(?=[:/]|$)'), e.id::text), 'cause', e.disabled_for)),
  now() + interval '2 days'
  FROM e JOIN partners p ON p.client_id = e.client_id
  JOIN developer_memberships s ON s.client_id = e.client_id AND s.role <> 'viewer' AND s.last_seen_at IS NOT NULL
  JOIN developers u ON u.id = s.developer_id AND u.status = 'active'
  WHERE e.disabled_mail_at = now() AND (SELECT count FROM counted) <= 10
)
SELECT m.outcome IS NOT NULL AS is_given_up, EXISTS (SELECT FROM e) AS is_disabled FROM m;

-- redeem_code
WITH
credentialed AS (
  SELECT client_id, status, id_token_alg, id_token_on_refresh, $2::text = ANY (auth_methods) AS permitted FROM partners
  WHERE client_id = $1
  AND $3::bytea = ANY (CASE $2 WHEN 'private_key_jwt' THEN key_thumbprints ELSE secret_hashes END)
), used AS (
  INSERT INTO client_assertions (hash, expires_at)
  SELECT $4::bytea, $5::timestamptz FROM credentialed WHERE permitted AND $2 = 'private_key_jwt' AND $5 > now()
  ON CONFLICT DO NOTHING RETURNING hash
), client AS (
  SELECT client_id, status, id_token_alg, id_token_on_refresh FROM credentialed
  WHERE permitted AND ($2 <> 'private_key_jwt' OR EXISTS (SELECT FROM used))
), presented AS (
  UPDATE connections c SET
  redemptions = c.redemptions + 1,
  revoked_at = CASE WHEN c.redemptions > 0 OR f.misfit IS NOT NULL THEN coalesce(c.revoked_at, now()) ELSE c.revoked_at END,
  revoked_for = CASE WHEN c.revoked_at IS NOT NULL THEN c.revoked_for
  WHEN c.redemptions > 0 THEN 'code_replayed'
  WHEN f.misfit IS NOT NULL THEN 'code_misused' END,
  refresh_locator_hash = CASE WHEN c.redemptions = 0 AND c.revoked_at IS NULL AND c.code_expires_at > now() AND f.misfit IS NULL AND f.live THEN $9 ELSE c.refresh_locator_hash END,
  access_locator_hash = CASE WHEN c.redemptions = 0 AND c.revoked_at IS NULL AND c.code_expires_at > now() AND f.misfit IS NULL AND f.live THEN $10 ELSE c.access_locator_hash END,
  access_nonce = CASE WHEN c.redemptions = 0 AND c.revoked_at IS NULL AND c.code_expires_at > now() AND f.misfit IS NULL AND f.live THEN $11 ELSE c.access_nonce END,
  access_nonce_at = CASE WHEN c.redemptions = 0 AND c.revoked_at IS NULL AND c.code_expires_at > now() AND f.misfit IS NULL AND f.live THEN now() ELSE c.access_nonce_at END,
  generation = CASE WHEN c.redemptions = 0 AND c.revoked_at IS NULL AND c.code_expires_at > now() AND f.misfit IS NULL AND f.live THEN 1 ELSE c.generation END,
  refreshed_at = CASE WHEN c.redemptions = 0 AND c.revoked_at IS NULL AND c.code_expires_at > now() AND f.misfit IS NULL AND f.live THEN now() ELSE c.refreshed_at END,
  mark_generation = CASE WHEN c.redemptions = 0 AND c.revoked_at IS NULL AND c.code_expires_at > now() AND f.misfit IS NULL AND f.live THEN 1 ELSE c.mark_generation END,
  marked_at = CASE WHEN c.redemptions = 0 AND c.revoked_at IS NULL AND c.code_expires_at > now() AND f.misfit IS NULL AND f.live THEN now() ELSE c.marked_at END,
  earlier_generation = CASE WHEN c.redemptions = 0 AND c.revoked_at IS NULL AND c.code_expires_at > now() AND f.misfit IS NULL AND f.live THEN 1 ELSE c.earlier_generation END,
  earlier_at = CASE WHEN c.redemptions = 0 AND c.revoked_at IS NULL AND c.code_expires_at > now() AND f.misfit IS NULL AND f.live THEN now() ELSE c.earlier_at END
  FROM client, LATERAL (
    SELECT k.id, CASE WHEN $7::text <> k.redirect_uri THEN 'redirect_uri_mismatch'
    WHEN k.code_challenge IS NULL AND $8::text IS NOT NULL THEN 'code_verifier_unexpected'
    WHEN k.code_challenge IS NOT NULL AND $8 IS NULL THEN 'code_verifier_missing'
    WHEN k.code_challenge <> $8 THEN 'code_verifier_mismatch' END AS misfit,
    (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true)) AND u.status = 'active' AS live
    FROM connections k JOIN grants g ON g.id = k.grant_id JOIN users u ON u.id = g.user_id
    WHERE k.code_hash = $6
  ) f
  WHERE c.id = f.id AND c.client_id = client.client_id AND client.status = 'active'
  RETURNING c.id, c.grant_id, c.redemptions, c.code_expires_at <= now() AS expired, f.misfit, c.revoked_at,
  c.revoked_for, c.auth_time, c.acr, c.amr, c.nonce
), judged AS (
  SELECT p.*, g.subject, g.user_id, g.client_id, CASE
  WHEN p.revoked_at IS NOT NULL THEN
  CASE p.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled' END AS ended
  FROM presented p JOIN grants g ON g.id = p.grant_id JOIN users u ON u.id = g.user_id
), replay AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'connection', (j.id)::text,
  (NULL)::text, (j.user_id)::text, (j.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('token', 'code', 'grant', j.grant_id))
  FROM (SELECT ($12)::jsonb AS origin) AS o, unnest(ARRAY['token.replayed']) AS event, judged j WHERE j.redemptions = 2
), ending AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'connection', (j.id)::text,
  (NULL)::text, (j.user_id)::text, (j.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', j.revoked_for, 'grant', j.grant_id))
  FROM (SELECT ($12)::jsonb AS origin) AS o, unnest(ARRAY['connection.ended']) AS event, judged j WHERE j.revoked_at = now()
)
SELECT
CASE WHEN NOT EXISTS (SELECT FROM credentialed) THEN
CASE WHEN $2 = 'private_key_jwt' THEN 'unknown'
WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND $3 = ANY (leaked_secret_hashes)) THEN 'secret_leaked'
WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND auth_methods = '{private_key_jwt}') THEN 'assertion_required'
ELSE 'unknown' END
WHEN NOT (SELECT permitted FROM credentialed) THEN 'wrong_method'
WHEN NOT EXISTS (SELECT FROM client) THEN 'assertion_used'
ELSE (SELECT status FROM client) END AS client_authentication, (SELECT id_token_alg FROM client) AS id_token_alg,
j.id AS connection_id, j.grant_id, j.redemptions, j.expired, j.misfit, j.ended, j.subject, j.auth_time, j.acr, j.amr, j.nonce,
now() AS issued_at
FROM (SELECT) AS always LEFT JOIN judged j ON true;

-- remove_message
DELETE FROM outbox WHERE id = $1 RETURNING id;

-- renew_grant
WITH old AS (
  SELECT id, expires_at FROM grants WHERE id = $1 AND user_id = $3 FOR NO KEY UPDATE
), renewed AS (
  UPDATE grants g SET expires_at = now() + make_interval(days => coalesce(p.grant_lifetime_days, $2::integer)),
  end_notice_at = CASE WHEN coalesce(p.grant_lifetime_days, $2::integer) > 7 THEN now() + make_interval(days => coalesce(p.grant_lifetime_days, $2::integer) - 7) END
  FROM partners p, old
  WHERE g.id = old.id AND p.client_id = g.client_id AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true))
  AND (g.expires_at IS NOT NULL
    AND coalesce(g.expires_at + interval '0' < now() + make_interval(days => coalesce(p.grant_lifetime_days, $2::integer)), true))
  RETURNING g.id, g.user_id, g.client_id, g.expires_at
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'grant', (renewed.id)::text,
  (NULL)::text, (renewed.user_id)::text, (renewed.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(jsonb_build_object('expires_at', old.expires_at), jsonb_build_object('expires_at', renewed.expires_at)), 'after', differing_fields(jsonb_build_object('expires_at', renewed.expires_at), jsonb_build_object('expires_at', old.expires_at))))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['grant.renewed']) AS event, renewed JOIN old USING (id)
)
SELECT client_id, expires_at FROM renewed;

-- replace_credential
WITH changed AS (
  UPDATE identity_providers SET credential = $2, public_jwk = $3::jsonb WHERE id = $1 RETURNING id, public_jwk
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'provider', (p.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('credential', 'replaced', 'key', p.public_jwk->>'kid'))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['provider.updated']) AS event, changed p
)
SELECT id FROM changed;

-- replace_hash
UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2 RETURNING id;

-- replace_partner_keys
WITH old AS (SELECT client_id, jsonb_build_object('name', p.name, 'status', p.status, 'redirect_uris', p.redirect_uris, 'require_pkce', p.require_pkce, 'auth_methods', p.auth_methods, 'key_thumbprints', p.key_thumbprints, 'id_token_alg', p.id_token_alg, 'id_token_on_refresh', p.id_token_on_refresh, 'post_logout_redirect_uris', p.post_logout_redirect_uris, 'site', p.site, 'logo', p.logo, 'privacy_url', p.privacy_url, 'description', p.description, 'limits', p.limits, 'grant_lifetime_days', p.grant_lifetime_days, 'require_acr', p.require_acr) || jsonb_build_object('live_secrets', cardinality(p.secret_hashes)) AS settings FROM partners p WHERE client_id = $1 FOR NO KEY UPDATE), changed AS (
  UPDATE partners SET jwks = $2, key_thumbprints = $3 WHERE client_id = (SELECT client_id FROM old) RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'partner', (c.client_id)::text,
  (NULL)::text, (NULL)::text, (c.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(old.settings, (jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes)))), 'after', differing_fields((jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes))), old.settings)))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['partner.keys_replaced']) AS event, changed c JOIN old USING (client_id)
)
SELECT client_id, name, status, redirect_uris, require_pkce, auth_methods,
ARRAY(SELECT key->>'kid' FROM jsonb_array_elements(jwks->'keys') WITH ORDINALITY AS k (key, place) ORDER BY place) AS key_ids,
id_token_alg, id_token_on_refresh, post_logout_redirect_uris, site, logo, privacy_url, description, limits,
grant_lifetime_days, require_acr FROM changed;

-- replace_recovery_codes
WITH stored AS (
  INSERT INTO recovery_codes (user_id, hashes) VALUES ($1, $2)
  ON CONFLICT (user_id) DO UPDATE SET hashes = excluded.hashes, created_at = now()
  RETURNING user_id, hashes
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (u.id)::text,
  (u.firm_id)::text, (u.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('method', 'recovery_codes', 'codes', cardinality(stored.hashes)))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['user.factor_added']) AS event, stored JOIN users u ON u.id = user_id
)
SELECT user_id FROM stored;

-- replace_sealed_developer_totp_secrets
UPDATE developer_totp_secrets SET sealed = next.sealed
FROM unnest($1::text[], $2::text[]) AS next (old, sealed) WHERE sealed = next.old
RETURNING next.sealed;

-- replace_sealed_identity_providers
UPDATE identity_providers SET credential = next.sealed
FROM unnest($1::text[], $2::text[]) AS next (old, sealed) WHERE credential = next.old
RETURNING next.sealed;

-- replace_sealed_operator_totp_secrets
UPDATE operator_totp_secrets SET sealed = next.sealed
FROM unnest($1::text[], $2::text[]) AS next (old, sealed) WHERE sealed = next.old
RETURNING next.sealed;

-- replace_sealed_totp_secrets
UPDATE totp_secrets SET sealed = next.sealed
FROM unnest($1::text[], $2::text[]) AS next (old, sealed) WHERE sealed = next.old
RETURNING next.sealed;

-- replace_sealed_webhook_secrets
UPDATE webhook_secrets SET sealed = next.sealed
FROM unnest($1::text[], $2::text[]) AS next (old, sealed) WHERE sealed = next.old
RETURNING next.sealed;

-- replay_webhook_messages
WITH e AS (
  SELECT * FROM webhook_endpoints WHERE client_id = $1 AND id = $2
), batch AS MATERIALIZED (
  SELECT m.id, m.created_at, m.place FROM webhook_messages m
  WHERE m.endpoint_id = (SELECT id FROM e) AND m.outcome IS NOT NULL AND (m.created_at, m.place) > (
    SELECT l.created_at, l.place FROM webhook_messages l WHERE l.id = $5
    UNION ALL SELECT $3::timestamptz, 0::bigint WHERE $5 IS NULL)
  ORDER BY m.created_at, m.place LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED
), due AS (
  UPDATE webhook_messages m SET next_attempt_at = now(), due_since = now(), failures = 0, outcome = NULL, finished_at = NULL FROM batch WHERE m.id = batch.id
), counted AS (
  SELECT count(*)::int AS messages FROM batch
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'webhook', (e.id)::text,
  (NULL)::text, (NULL)::text, (e.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('since', $3::timestamptz, 'messages', counted.messages))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['webhook.replayed']) AS event, e, counted WHERE counted.messages > 0 OR $5::uuid IS NULL
)
SELECT messages,
(SELECT b.id FROM batch b WHERE messages = 1000 ORDER BY b.created_at DESC, b.place DESC LIMIT 1) AS last
FROM e, counted;

-- request_link
WITH source AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  VALUES ($1, 1, now() + interval '30 minutes')
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
), account AS (
  INSERT INTO login_failures AS f (key, count, resets_at)
  SELECT $2::bytea, 1, now() + interval '30 minutes' FROM source WHERE count <= 30
  ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
  resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
  RETURNING count, resets_at
), found AS (
  SELECT u.id, u.firm_id, u.email, u.name, u.status, u.login_version, f.local_passwords FROM account, users u JOIN firms f ON f.id = u.firm_id
  WHERE account.count <= 3 AND u.email_folded = $3 AND u.status = 'active'
), link AS (
  INSERT INTO password_links (user_id, hash, login_version, expires_at)
  SELECT u.id, $4::bytea, u.login_version, now() + interval '30 minutes' FROM found u WHERE u.local_passwords
  ON CONFLICT (user_id) DO UPDATE
  SET hash = excluded.hash, login_version = excluded.login_version, expires_at = excluded.expires_at
  RETURNING expires_at
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'password_reset', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), $6::text),
    'facts', jsonb_build_object('link', $5::text)),
  now() + interval '30 minutes'
  FROM found u WHERE u.local_passwords
), other_mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'no_password', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), $6::text),
    'facts', jsonb_build_object()),
  now() + interval '2 days'
  FROM found u WHERE NOT u.local_passwords
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (found.id)::text,
  (found.firm_id)::text, (found.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('local_passwords', found.local_passwords))
  FROM (SELECT ($7)::jsonb AS origin) AS o, unnest(ARRAY['user.password_reset_requested']) AS event, found
)
SELECT CASE WHEN account.count IS NULL OR account.count > 3 THEN 'throttled'
WHEN found.id IS NULL THEN 'unknown'
WHEN found.local_passwords THEN 'mailed'
ELSE 'no_password' END AS outcome,
found.id AS user_id
FROM source LEFT JOIN account ON true LEFT JOIN found ON true;

-- reseal_signing_key
UPDATE signing_keys SET private_jwk = $3 WHERE kid = $1 AND private_jwk = $2 RETURNING kid;

-- resend_webhook_message
WITH e AS (
  SELECT e.*, m.id AS message_id, m.type FROM webhook_messages m JOIN webhook_endpoints e ON e.id = m.endpoint_id
  WHERE e.client_id = $1 AND m.id = $2
), due AS (
  UPDATE webhook_messages m SET next_attempt_at = now(), due_since = now(), failures = 0, outcome = NULL, finished_at = NULL
  FROM e WHERE m.id = e.message_id
  AND (m.next_attempt_at IS NULL OR m.next_attempt_at > now() + interval '30 seconds')
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'webhook', (e.id)::text,
  (NULL)::text, (NULL)::text, (e.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('message', e.message_id, 'type', e.type))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['webhook.resent']) AS event, e
)
SELECT message_id AS id FROM e;

-- reset_developer
WITH changed AS (
  UPDATE developers SET password_hash = NULL, login_version = gen_random_uuid() WHERE (id::text = $1 OR email_folded = $1)
  RETURNING id, email, name, status
), totp AS (
  DELETE FROM developer_totp_secrets t USING changed WHERE t.developer_id = changed.id
), codes AS (
  DELETE FROM developer_recovery_codes c USING changed WHERE c.developer_id = changed.id
), identities AS (
  DELETE FROM developer_identities i USING changed WHERE i.developer_id = changed.id
), ended AS (
  DELETE FROM developer_sessions s USING changed WHERE s.developer_id = changed.id RETURNING 1
), link AS (
  INSERT INTO developer_links (developer_id, hash, expires_at)
  SELECT id, $2::bytea, now() + interval '7 days' FROM changed
  ON CONFLICT (developer_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at
  RETURNING expires_at
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'invitation', 'to', u.email, 'name', u.name,
    'language', 'en',
    'facts', jsonb_build_object('link', $3::text, 'until', link.expires_at)),
  now() + interval '7 days'
  FROM changed u, link WHERE $3::text IS NOT NULL
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (changed.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('credentials', 'reset'::text))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['developer.updated']) AS event, changed
)
SELECT changed.id::text, changed.email, changed.status, link.expires_at,
(SELECT count(*)::int FROM ended) AS sessions_ended
FROM changed, link;

-- reset_operator
WITH changed AS (
  UPDATE operators SET password_hash = NULL, login_version = gen_random_uuid() WHERE (id::text = $1 OR email_folded = $1)
  RETURNING id, email, name, status
), totp AS (
  DELETE FROM operator_totp_secrets t USING changed WHERE t.operator_id = changed.id
), codes AS (
  DELETE FROM operator_recovery_codes c USING changed WHERE c.operator_id = changed.id
), identities AS (
  DELETE FROM operator_identities i USING changed WHERE i.operator_id = changed.id
), ended AS (
  DELETE FROM operator_sessions s USING changed WHERE s.operator_id = changed.id RETURNING 1
), link AS (
  INSERT INTO operator_links (operator_id, hash, expires_at)
  SELECT id, $2::bytea, now() + interval '24 hours' FROM changed
  ON CONFLICT (operator_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at
  RETURNING expires_at
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'invitation', 'to', u.email, 'name', u.name,
    'language', 'en',
    'facts', jsonb_build_object('link', $3::text, 'until', link.expires_at)),
  now() + interval '24 hours'
  FROM changed u, link WHERE $3::text IS NOT NULL
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'operator', (changed.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('credentials', 'reset'::text))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['operator.updated']) AS event, changed
)
SELECT changed.id::text, changed.email, changed.status, link.expires_at,
(SELECT count(*)::int FROM ended) AS sessions_ended
FROM changed, link;

-- resume_partner
WITH old AS (SELECT client_id, jsonb_build_object('name', p.name, 'status', p.status, 'redirect_uris', p.redirect_uris, 'require_pkce', p.require_pkce, 'auth_methods', p.auth_methods, 'key_thumbprints', p.key_thumbprints, 'id_token_alg', p.id_token_alg, 'id_token_on_refresh', p.id_token_on_refresh, 'post_logout_redirect_uris', p.post_logout_redirect_uris, 'site', p.site, 'logo', p.logo, 'privacy_url', p.privacy_url, 'description', p.description, 'limits', p.limits, 'grant_lifetime_days', p.grant_lifetime_days, 'require_acr', p.require_acr) || jsonb_build_object('live_secrets', cardinality(p.secret_hashes)) AS settings FROM partners p WHERE client_id = $1 FOR NO KEY UPDATE), changed AS (
  UPDATE partners SET status = 'active' WHERE client_id = (SELECT client_id FROM old) RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'partner', (c.client_id)::text,
  (NULL)::text, (NULL)::text, (c.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(old.settings, (jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes)))), 'after', differing_fields((jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes))), old.settings)))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['partner.resumed']) AS event, changed c JOIN old USING (client_id)
)
SELECT client_id, name, status, redirect_uris, require_pkce, auth_methods,
ARRAY(SELECT key->>'kid' FROM jsonb_array_elements(jwks->'keys') WITH ORDINALITY AS k (key, place) ORDER BY place) AS key_ids,
id_token_alg, id_token_on_refresh, post_logout_redirect_uris, site, logo, privacy_url, description, limits,
grant_lifetime_days, require_acr FROM changed;

-- retire_signing_keys
UPDATE signing_keys k SET private_jwk = NULL
WHERE private_jwk IS NOT NULL
AND EXISTS (SELECT FROM signing_keys s WHERE s.algorithm = k.algorithm AND s.generation > k.generation
  AND s.signs_from <= now() - interval '24 hours')
RETURNING kid;

-- revoke_access_tokens
WITH
credentialed AS (
  SELECT client_id, status, id_token_alg, id_token_on_refresh, $2::text = ANY (auth_methods) AS permitted FROM partners
  WHERE client_id = $1
  AND $3::bytea = ANY (CASE $2 WHEN 'private_key_jwt' THEN key_thumbprints ELSE secret_hashes END)
), used AS (
  INSERT INTO client_assertions (hash, expires_at)
  SELECT $4::bytea, $5::timestamptz FROM credentialed WHERE permitted AND $2 = 'private_key_jwt' AND $5 > now()
  ON CONFLICT DO NOTHING RETURNING hash
), client AS (
  SELECT client_id, status, id_token_alg, id_token_on_refresh FROM credentialed
  WHERE permitted AND ($2 <> 'private_key_jwt' OR EXISTS (SELECT FROM used))
), revoked AS (
  UPDATE connections c SET access_nonce = NULL, previous_access_nonce = NULL
  FROM client
  WHERE c.access_locator_hash = $7 AND c.client_id = client.client_id
  AND c.revoked_at IS NULL AND now() < $9::timestamptz AND (
    $8::bytea = c.access_nonce AND $9 <= c.access_nonce_at + interval '7320 seconds'
    OR $8::bytea = c.previous_access_nonce AND $9 <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE
  RETURNING c.id, c.grant_id
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'connection', (r.id)::text,
  (NULL)::text, (g.user_id)::text, (g.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('token', 'access', 'grant', r.grant_id))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['token.revoked']) AS event, revoked r JOIN grants g ON g.id = r.grant_id
)
SELECT
CASE WHEN NOT EXISTS (SELECT FROM credentialed) THEN
CASE WHEN $2 = 'private_key_jwt' THEN 'unknown'
WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND $3 = ANY (leaked_secret_hashes)) THEN 'secret_leaked'
WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND auth_methods = '{private_key_jwt}') THEN 'assertion_required'
ELSE 'unknown' END
WHEN NOT (SELECT permitted FROM credentialed) THEN 'wrong_method'
WHEN NOT EXISTS (SELECT FROM client) THEN 'assertion_used'
ELSE (SELECT status FROM client) END AS client_authentication, (SELECT id FROM revoked) AS connection_id;

-- revoke_api_key
WITH k AS (
  UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING *
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'api_key', (k.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('name', k.name))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['api_key.revoked']) AS event, k
)
SELECT k.id, k.name, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired' ELSE 'live' END AS state, k.scopes FROM k;

-- revoke_connection
WITH
credentialed AS (
  SELECT client_id, status, id_token_alg, id_token_on_refresh, $2::text = ANY (auth_methods) AS permitted FROM partners
  WHERE client_id = $1
  AND $3::bytea = ANY (CASE $2 WHEN 'private_key_jwt' THEN key_thumbprints ELSE secret_hashes END)
), used AS (
  INSERT INTO client_assertions (hash, expires_at)
  SELECT $4::bytea, $5::timestamptz FROM credentialed WHERE permitted AND $2 = 'private_key_jwt' AND $5 > now()
  ON CONFLICT DO NOTHING RETURNING hash
), client AS (
  SELECT client_id, status, id_token_alg, id_token_on_refresh FROM credentialed
  WHERE permitted AND ($2 <> 'private_key_jwt' OR EXISTS (SELECT FROM used))
), revoked AS (
  UPDATE connections c SET revoked_at = now(), revoked_for = 'partner'
  FROM client WHERE c.refresh_locator_hash = $7 AND c.client_id = client.client_id AND c.revoked_at IS NULL
  RETURNING c.id, c.grant_id
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'connection', (r.id)::text,
  (NULL)::text, (g.user_id)::text, (g.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', 'partner', 'grant', r.grant_id))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['connection.ended']) AS event, revoked r JOIN grants g ON g.id = r.grant_id
)
SELECT
CASE WHEN NOT EXISTS (SELECT FROM credentialed) THEN
CASE WHEN $2 = 'private_key_jwt' THEN 'unknown'
WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND $3 = ANY (leaked_secret_hashes)) THEN 'secret_leaked'
WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND auth_methods = '{private_key_jwt}') THEN 'assertion_required'
ELSE 'unknown' END
WHEN NOT (SELECT permitted FROM credentialed) THEN 'wrong_method'
WHEN NOT EXISTS (SELECT FROM client) THEN 'assertion_used'
ELSE (SELECT status FROM client) END AS client_authentication, (SELECT id FROM revoked) AS connection_id;

-- revoke_developer_key
WITH k AS (
  UPDATE developer_keys SET revoked_at = now() WHERE id = $1 AND client_id = $2 AND revoked_at IS NULL RETURNING *
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer_key', (k.id)::text,
  (NULL)::text, (NULL)::text, (k.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('name', k.name))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['developer_key.revoked']) AS event, k
)
SELECT k.id, k.name, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired' ELSE 'live' END AS state, k.client_id, k.role, k.created_by FROM k;

-- revoke_grant
WITH ended AS (
  UPDATE grants g SET revoked_at = now(), revoked_by = CASE WHEN $2::text IS NULL THEN 'operator' ELSE 'user' END
  WHERE id = $1 AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true)) AND ($2::text IS NULL OR user_id = $2)
  RETURNING id, user_id, client_id, revoked_by
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'grant', (ended.id)::text,
  (NULL)::text, (ended.user_id)::text, (ended.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', ended.revoked_by))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['grant.revoked']) AS event, ended
)
SELECT client_id FROM ended;

-- revoke_leaked_api_key
WITH found AS (
  SELECT id, name, revoked_at IS NULL AND coalesce(expires_at > now(), true) AS was_live FROM api_keys WHERE hash = $1
), revoked AS (
  UPDATE api_keys k SET revoked_at = now() FROM found f WHERE k.id = f.id AND k.revoked_at IS NULL
  RETURNING k.*
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'api_key', (r.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('credential', 'api_key', 'name', r.name, 'source', $3::text))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['credential.leaked']) AS event, revoked r
)
SELECT id, name, was_live FROM found;

-- revoke_leaked_developer_key
WITH found AS (
  SELECT id, name, client_id, revoked_at IS NULL AND coalesce(expires_at > now(), true) AS was_live FROM developer_keys WHERE hash = $1
), revoked AS (
  UPDATE developer_keys k SET revoked_at = now() FROM found f WHERE k.id = f.id AND k.revoked_at IS NULL
  RETURNING k.*
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer_key', (r.id)::text,
  (NULL)::text, (NULL)::text, (r.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('credential', 'developer_key', 'name', r.name, 'source', $3::text))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['credential.leaked']) AS event, revoked r
)
SELECT id, name, client_id, was_live FROM found;

-- rotate_ahead_of_row
WITH client AS (
  SELECT client_id, id_token_alg, id_token_on_refresh FROM partners WHERE client_id = $1 AND status = 'active'
), rotated AS (
  UPDATE connections c SET
  generation = greatest(c.generation, $3 + 1),
  refreshed_at = CASE WHEN $3 >= c.generation THEN greatest(c.refreshed_at, now()) ELSE c.refreshed_at END,
  mark_generation = CASE WHEN $3 >= c.generation THEN $3 ELSE c.mark_generation END,
  marked_at = CASE WHEN $3 >= c.generation THEN greatest(c.refreshed_at, now()) ELSE c.marked_at END,
  previous_access_nonce = CASE WHEN (c.access_nonce IS NULL OR c.access_nonce_at <= greatest(c.refreshed_at, now()) - interval '61 minutes') THEN c.access_nonce ELSE c.previous_access_nonce END,
  access_nonce = CASE WHEN (c.access_nonce IS NULL OR c.access_nonce_at <= greatest(c.refreshed_at, now()) - interval '61 minutes') THEN $5::bytea ELSE c.access_nonce END,
  access_nonce_at = CASE WHEN (c.access_nonce IS NULL OR c.access_nonce_at <= greatest(c.refreshed_at, now()) - interval '61 minutes') THEN greatest(c.refreshed_at, now()) ELSE c.access_nonce_at END
  FROM client, grants g, users u, deployment d
  WHERE c.refresh_locator_hash = $2 AND g.id = c.grant_id AND u.id = g.user_id
  AND CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled' END IS NULL AND c.client_id = client.client_id AND now() < d.accepts_tokens_ahead_until
  AND $3::bigint >= c.generation - 1 AND $3 <= c.generation + 1000 AND now() < $4::timestamptz
  RETURNING c.id AS connection_id, c.grant_id, c.generation, c.refreshed_at, c.access_nonce, g.subject, c.auth_time,
  c.acr, c.amr, client.id_token_alg, client.id_token_on_refresh, c.revoked_at IS NOT NULL AS replayed, now() AS issued_at
)
SELECT * FROM rotated;

-- rotate_newest_token
UPDATE connections c SET
generation = c.generation + 1,
refreshed_at = greatest(c.refreshed_at, now()),
mark_generation = CASE WHEN c.marked_at <= greatest(c.refreshed_at, now()) - interval '60 seconds' THEN c.generation ELSE c.mark_generation END,
marked_at = CASE WHEN c.marked_at <= greatest(c.refreshed_at, now()) - interval '60 seconds' THEN greatest(c.refreshed_at, now()) ELSE c.marked_at END,
earlier_generation = CASE WHEN c.marked_at <= greatest(c.refreshed_at, now()) - interval '60 seconds' THEN c.mark_generation ELSE c.earlier_generation END,
earlier_at = CASE WHEN c.marked_at <= greatest(c.refreshed_at, now()) - interval '60 seconds' THEN c.marked_at ELSE c.earlier_at END,
previous_access_nonce = CASE WHEN (c.access_nonce IS NULL OR c.access_nonce_at <= greatest(c.refreshed_at, now()) - interval '61 minutes') THEN c.access_nonce ELSE c.previous_access_nonce END,
access_nonce = CASE WHEN (c.access_nonce IS NULL OR c.access_nonce_at <= greatest(c.refreshed_at, now()) - interval '61 minutes') THEN $7::bytea ELSE c.access_nonce END,
access_nonce_at = CASE WHEN (c.access_nonce IS NULL OR c.access_nonce_at <= greatest(c.refreshed_at, now()) - interval '61 minutes') THEN greatest(c.refreshed_at, now()) ELSE c.access_nonce_at END
FROM partners client, grants g, users u
WHERE client.client_id = $1 AND client.status = 'active' AND $2::text = ANY (client.auth_methods)
AND $2 <> 'private_key_jwt' AND $3::bytea = ANY (client.secret_hashes)
AND c.refresh_locator_hash = $4 AND g.id = c.grant_id AND u.id = g.user_id
AND CASE
WHEN c.revoked_at IS NOT NULL THEN
CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
WHEN g.revoked_at IS NOT NULL THEN
CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
WHEN u.status <> 'active' THEN 'user_disabled' END IS NULL AND c.client_id = client.client_id AND c.generation = $5::bigint AND now() < $6::timestamptz
RETURNING c.id AS connection_id, c.grant_id, c.generation, c.refreshed_at, c.access_nonce, g.subject, c.auth_time,
c.acr, c.amr, client.id_token_alg, client.id_token_on_refresh, c.revoked_at IS NOT NULL AS replayed, now() AS issued_at;

-- rotate_partner_secret
WITH old AS (SELECT client_id, jsonb_build_object('name', p.name, 'status', p.status, 'redirect_uris', p.redirect_uris, 'require_pkce', p.require_pkce, 'auth_methods', p.auth_methods, 'key_thumbprints', p.key_thumbprints, 'id_token_alg', p.id_token_alg, 'id_token_on_refresh', p.id_token_on_refresh, 'post_logout_redirect_uris', p.post_logout_redirect_uris, 'site', p.site, 'logo', p.logo, 'privacy_url', p.privacy_url, 'description', p.description, 'limits', p.limits, 'grant_lifetime_days', p.grant_lifetime_days, 'require_acr', p.require_acr) || jsonb_build_object('live_secrets', cardinality(p.secret_hashes)) AS settings FROM partners p WHERE client_id = $1 FOR NO KEY UPDATE), changed AS (
  UPDATE partners SET secret_hashes = ARRAY[$2::bytea] || secret_hashes[1:$3::int]
  WHERE client_id = (SELECT client_id FROM old) RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'partner', (c.client_id)::text,
  (NULL)::text, (NULL)::text, (c.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(old.settings, (jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes)))), 'after', differing_fields((jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes))), old.settings)))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['partner.secret_rotated']) AS event, changed c JOIN old USING (client_id)
)
SELECT client_id, cardinality(secret_hashes) AS live_secrets FROM changed;

-- rotate_refresh_token
WITH
credentialed AS (
  SELECT client_id, status, id_token_alg, id_token_on_refresh, $2::text = ANY (auth_methods) AS permitted FROM partners
  WHERE client_id = $1
  AND $3::bytea = ANY (CASE $2 WHEN 'private_key_jwt' THEN key_thumbprints ELSE secret_hashes END)
), used AS (
  INSERT INTO client_assertions (hash, expires_at)
  SELECT $4::bytea, $5::timestamptz FROM credentialed WHERE permitted AND $2 = 'private_key_jwt' AND $5 > now()
  ON CONFLICT DO NOTHING RETURNING hash
), client AS (
  SELECT client_id, status, id_token_alg, id_token_on_refresh FROM credentialed
  WHERE permitted AND ($2 <> 'private_key_jwt' OR EXISTS (SELECT FROM used))
), rotated AS (
  UPDATE connections c SET
  generation = CASE WHEN c.generation = $7 THEN c.generation + 1 ELSE c.generation END,
  refreshed_at = CASE WHEN c.generation = $7 OR c.refreshed_at <= now() - interval '60 seconds' THEN greatest(c.refreshed_at, now()) ELSE c.refreshed_at END,
  mark_generation = CASE WHEN c.generation = $7 AND c.marked_at <= greatest(c.refreshed_at, now()) - interval '60 seconds' THEN c.generation ELSE c.mark_generation END,
  marked_at = CASE WHEN c.generation = $7 AND c.marked_at <= greatest(c.refreshed_at, now()) - interval '60 seconds' THEN greatest(c.refreshed_at, now()) ELSE c.marked_at END,
  earlier_generation = CASE WHEN c.generation = $7 AND c.marked_at <= greatest(c.refreshed_at, now()) - interval '60 seconds' THEN c.mark_generation ELSE c.earlier_generation END,
  earlier_at = CASE WHEN c.generation = $7 AND c.marked_at <= greatest(c.refreshed_at, now()) - interval '60 seconds' THEN c.marked_at ELSE c.earlier_at END,
  revoked_at = CASE WHEN c.generation > $7 + 1
  AND NOT ($7 >= c.mark_generation AND greatest(c.refreshed_at, now()) < c.marked_at + 2 * interval '60 seconds')
  AND NOT ($7 >= c.earlier_generation AND greatest(c.refreshed_at, now()) < c.earlier_at + 2 * interval '60 seconds') THEN now() END,
  revoked_for = CASE WHEN c.generation > $7 + 1
  AND NOT ($7 >= c.mark_generation AND greatest(c.refreshed_at, now()) < c.marked_at + 2 * interval '60 seconds')
  AND NOT ($7 >= c.earlier_generation AND greatest(c.refreshed_at, now()) < c.earlier_at + 2 * interval '60 seconds') THEN 'refresh_replayed' END,
  previous_access_nonce = CASE WHEN (c.access_nonce IS NULL OR c.access_nonce_at <= greatest(c.refreshed_at, now()) - interval '61 minutes') THEN c.access_nonce ELSE c.previous_access_nonce END,
  access_nonce = CASE WHEN (c.access_nonce IS NULL OR c.access_nonce_at <= greatest(c.refreshed_at, now()) - interval '61 minutes') THEN $9::bytea ELSE c.access_nonce END,
  access_nonce_at = CASE WHEN (c.access_nonce IS NULL OR c.access_nonce_at <= greatest(c.refreshed_at, now()) - interval '61 minutes') THEN greatest(c.refreshed_at, now()) ELSE c.access_nonce_at END
  FROM client, grants g, users u
  WHERE c.refresh_locator_hash = $6 AND g.id = c.grant_id AND u.id = g.user_id
  AND CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled' END IS NULL AND c.client_id = client.client_id AND client.status = 'active'
  AND $7::bigint <= c.generation AND (now() < $8::timestamptz OR c.generation > $7 + 1
    AND NOT ($7 >= c.mark_generation AND greatest(c.refreshed_at, now()) < c.marked_at + 2 * interval '60 seconds')
    AND NOT ($7 >= c.earlier_generation AND greatest(c.refreshed_at, now()) < c.earlier_at + 2 * interval '60 seconds'))
  RETURNING c.id AS connection_id, c.grant_id, c.generation, c.refreshed_at, c.access_nonce, g.subject, c.auth_time,
  c.acr, c.amr, client.id_token_alg, client.id_token_on_refresh, c.revoked_at IS NOT NULL AS replayed, now() AS issued_at
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'connection', (r.connection_id)::text,
  (NULL)::text, (g.user_id)::text, (g.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('cause', 'refresh_replayed', 'grant', r.grant_id, 'newest_generation', r.generation, 'presented_generation', $7::bigint))
  FROM (SELECT ($10)::jsonb AS origin) AS o, unnest(ARRAY['token.replayed', 'connection.ended']) AS event, rotated r JOIN grants g ON g.id = r.grant_id WHERE r.replayed
)
SELECT
CASE WHEN NOT EXISTS (SELECT FROM credentialed) THEN
CASE WHEN $2 = 'private_key_jwt' THEN 'unknown'
WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND $3 = ANY (leaked_secret_hashes)) THEN 'secret_leaked'
WHEN EXISTS (SELECT FROM partners WHERE client_id = $1 AND auth_methods = '{private_key_jwt}') THEN 'assertion_required'
ELSE 'unknown' END
WHEN NOT (SELECT permitted FROM credentialed) THEN 'wrong_method'
WHEN NOT EXISTS (SELECT FROM client) THEN 'assertion_used'
ELSE (SELECT status FROM client) END AS client_authentication, r.*
FROM (SELECT) AS always LEFT JOIN rotated r ON true;

-- rotate_webhook_secret
WITH e AS (
  SELECT * FROM webhook_endpoints WHERE client_id = $1 AND id = $2 FOR NO KEY UPDATE
), newest AS (
  SELECT max(s.id) AS id FROM webhook_secrets s JOIN e ON e.id = s.endpoint_id
), others AS (
  UPDATE webhook_secrets s
  SET expires_at = least(s.expires_at, CASE WHEN s.id = newest.id AND NOT $6::boolean
    THEN now() + interval '24 hours' ELSE now() END)
  FROM e, newest WHERE s.endpoint_id = e.id
), added AS (
  INSERT INTO webhook_secrets (endpoint_id, kind, sealed, public_key) SELECT id, $3, $4, $5::bytea FROM e
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'webhook', (e.id)::text,
  (NULL)::text, (NULL)::text, (e.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('kind', $3::text, 'others_ended', $6::boolean))
  FROM (SELECT ($7)::jsonb AS origin) AS o, unnest(ARRAY['webhook.secret_rotated']) AS event, e
)
SELECT id FROM e;

-- search_by_grams
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), latest AS (
  SELECT greatest(f.changed_at, u.sees_since) AS as_of, f.changed_at, u.sees_since
  FROM caller JOIN firms f ON f.id = caller.firm_id JOIN users u ON u.id = caller.user_id
), version AS (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) AS visibility_version FROM caller), start AS (
  SELECT CASE WHEN visibility_version = $8 THEN $9 ELSE $2 END AS after_id,
  CASE WHEN visibility_version = $8 THEN 0 ELSE $5::bigint END AS skipped FROM version
),
matching AS (
  SELECT h.firm_id, h.id, h.json FROM caller, households h
  WHERE name_grams(h.firm_id, h.name_folded) @@ replace($7, U&'\FFFF', caller.firm_id)::tsquery
  AND h.name_folded LIKE $3
  OFFSET 0
),
page AS (
  SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (
    SELECT h.firm_id AS scope, h.id, h.json FROM caller, matching h
    WHERE h.id > (SELECT after_id FROM start) AND (
      h.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
          SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id OFFSET 0)))
    ORDER BY h.firm_id, h.id LIMIT $4::int + 1 OFFSET (SELECT skipped FROM start)) AS entry
)
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT visibility_version FROM version) AS visibility_version, coalesce((SELECT count FROM page), 0) AS count, (SELECT entries FROM page) AS entries, coalesce((SELECT to_char(as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM latest), '') AS as_of,
coalesce((SELECT $6::timestamptz < sees_since FROM latest), false) AS expired;

-- search_firm_in_order
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), latest AS (
  SELECT greatest(f.changed_at, u.sees_since) AS as_of, f.changed_at, u.sees_since
  FROM caller JOIN firms f ON f.id = caller.firm_id JOIN users u ON u.id = caller.user_id
), version AS (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) AS visibility_version FROM caller), start AS (
  SELECT CASE WHEN visibility_version = $8 THEN $9 ELSE $2 END AS after_id,
  CASE WHEN visibility_version = $8 THEN 0 ELSE $5::bigint END AS skipped FROM version
),
page AS (
  SELECT found.*, found.count > $4::int OR (SELECT count(*) FROM (
      SELECT h.firm_id AS scope, h.id, h.json, (h.name_searched LIKE $3 OR h.name_searched IS NULL
        AND (SELECT name_folded FROM households WHERE id = h.id) LIKE $3) AND (
        h.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
            SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id OFFSET 0))) AS matches FROM households h
      WHERE (h.firm_id, h.id) > (caller.firm_id, (SELECT after_id FROM start)) AND h.firm_id <= caller.firm_id
      ORDER BY h.firm_id, h.id LIMIT $7::bigint) AS read) < $7::bigint AS complete
  FROM caller, LATERAL (
    SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (SELECT scope, id, json FROM (
        SELECT h.firm_id AS scope, h.id, h.json, (h.name_searched LIKE $3 OR h.name_searched IS NULL
          AND (SELECT name_folded FROM households WHERE id = h.id) LIKE $3) AND (
          h.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
              SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id OFFSET 0))) AS matches FROM households h
        WHERE (h.firm_id, h.id) > (caller.firm_id, (SELECT after_id FROM start)) AND h.firm_id <= caller.firm_id
        ORDER BY h.firm_id, h.id LIMIT $7::bigint) AS read WHERE matches ORDER BY scope, id LIMIT $4::int + 1 OFFSET (SELECT skipped FROM start)) AS entry
  ) AS found
  WHERE true
)
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT visibility_version FROM version) AS visibility_version, coalesce((SELECT count FROM page), 0) AS count, (SELECT entries FROM page) AS entries, coalesce((SELECT to_char(as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM latest), '') AS as_of,
coalesce((SELECT $6::timestamptz < sees_since FROM latest), false) AS expired, coalesce((SELECT complete FROM page), false) AS complete;

-- search_own_in_order
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), latest AS (
  SELECT greatest(f.changed_at, u.sees_since) AS as_of, f.changed_at, u.sees_since
  FROM caller JOIN firms f ON f.id = caller.firm_id JOIN users u ON u.id = caller.user_id
), version AS (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) AS visibility_version FROM caller), start AS (
  SELECT CASE WHEN visibility_version = $8 THEN $9 ELSE $2 END AS after_id,
  CASE WHEN visibility_version = $8 THEN 0 ELSE $5::bigint END AS skipped FROM version
),
page AS (
  SELECT found.*, found.count > $4::int OR (SELECT count(*) FROM (
      SELECT x.user_id AS scope, x.household_id AS id, h.json, (h.name_searched LIKE $3 OR h.name_searched IS NULL
        AND (SELECT name_folded FROM households WHERE id = h.id) LIKE $3) AS matches
      FROM (
        SELECT DISTINCT user_id, household_id FROM account_access
        WHERE (user_id, household_id) > (caller.user_id, (SELECT after_id FROM start)) AND user_id <= caller.user_id
        AND firm_id = caller.firm_id
        ORDER BY user_id, household_id LIMIT $7::bigint) AS x
      CROSS JOIN LATERAL (SELECT * FROM households
        WHERE firm_id = caller.firm_id AND id = x.household_id LIMIT 1) AS h
      ORDER BY x.user_id, x.household_id) AS read) < $7::bigint AS complete
  FROM caller, LATERAL (
    SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (SELECT scope, id, json FROM (
        SELECT x.user_id AS scope, x.household_id AS id, h.json, (h.name_searched LIKE $3 OR h.name_searched IS NULL
          AND (SELECT name_folded FROM households WHERE id = h.id) LIKE $3) AS matches
        FROM (
          SELECT DISTINCT user_id, household_id FROM account_access
          WHERE (user_id, household_id) > (caller.user_id, (SELECT after_id FROM start)) AND user_id <= caller.user_id
          AND firm_id = caller.firm_id
          ORDER BY user_id, household_id LIMIT $7::bigint) AS x
        CROSS JOIN LATERAL (SELECT * FROM households
          WHERE firm_id = caller.firm_id AND id = x.household_id LIMIT 1) AS h
        ORDER BY x.user_id, x.household_id) AS read WHERE matches ORDER BY scope, id LIMIT $4::int + 1 OFFSET (SELECT skipped FROM start)) AS entry
  ) AS found
  WHERE caller.sees = 'granted'
)
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT visibility_version FROM version) AS visibility_version, coalesce((SELECT count FROM page), 0) AS count, (SELECT entries FROM page) AS entries, coalesce((SELECT to_char(as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM latest), '') AS as_of,
coalesce((SELECT $6::timestamptz < sees_since FROM latest), false) AS expired, coalesce((SELECT complete FROM page), false) AS complete;

-- search_sample
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
),
sample AS (
  SELECT count(*)::int AS sampled, count(*) FILTER (WHERE matches)::int AS matching, max(id) AS last_id
  FROM caller, LATERAL (
    SELECT h.firm_id AS scope, h.id, (h.name_searched LIKE $3 OR h.name_searched IS NULL
      AND (SELECT name_folded FROM households WHERE id = h.id) LIKE $3) AS matches FROM households h
    WHERE (h.firm_id, h.id) > (caller.firm_id, $2) AND h.firm_id <= caller.firm_id
    ORDER BY h.firm_id, h.id LIMIT 200) AS next
),
own AS (
  SELECT count(*)::int AS own, count(*) FILTER (WHERE household_id <= last_id)::int AS in_sample
  FROM sample, caller, LATERAL (
    SELECT DISTINCT user_id, household_id FROM account_access
    WHERE (user_id, household_id) > (caller.user_id, $2) AND user_id <= caller.user_id
    AND firm_id = caller.firm_id
    ORDER BY user_id, household_id LIMIT 1000) AS next
  WHERE sees = 'granted'
)
SELECT sampled, matching, CASE sees WHEN 'firm' THEN sampled ELSE in_sample END AS visible,
CASE sees WHEN 'granted' THEN own END AS own,
(SELECT greatest(reltuples, 1) FROM pg_class WHERE oid = 'households'::regclass) AS total
FROM caller, sample, own;

-- secret_rotations
SELECT at FROM audit_log
WHERE target_kind = 'partner' AND target_id = $1 AND event = 'partner.secret_rotated' ORDER BY at DESC LIMIT $2;

-- server_facts
SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS version_number,
clock_timestamp() AS clock;

-- sessions_of_developer
SELECT s.id, s.browser, s.system, s.address, s.created_at, s.last_seen_at, s.hash = $2 AS current
FROM developer_sessions s JOIN developers o ON o.id = s.developer_id
WHERE s.developer_id = $1::uuid AND s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes' AND s.login_version = o.login_version AND o.status = 'active'
AND (s.provider_id IS NULL OR EXISTS (SELECT FROM identity_providers p WHERE p.id = s.provider_id AND p.developers))
ORDER BY current DESC, s.last_seen_at DESC, s.id;

-- sessions_of_operator
SELECT s.id, s.browser, s.system, s.address, s.created_at, s.last_seen_at, s.hash = $2 AS current
FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
WHERE s.operator_id = $1::uuid AND s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes' AND s.login_version = o.login_version AND o.status = 'active'
AND (s.provider_id IS NULL OR EXISTS (SELECT FROM identity_providers p WHERE p.id = s.provider_id AND p.operators))
ORDER BY current DESC, s.last_seen_at DESC, s.id;

-- sessions_of_user
SELECT s.id, s.browser, s.system, s.auth_time, s.last_seen_at, s.hash = $2 AS current
FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.user_id = $1 AND s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes' AND s.login_version = u.login_version
ORDER BY current DESC, s.last_seen_at DESC, s.id;

-- set_developer_logins
WITH before AS (
  SELECT id, developers, developers_acr FROM identity_providers WHERE id = $1 FOR UPDATE
), changed AS (
  UPDATE identity_providers p SET developers = $2, developers_acr = $3 FROM before WHERE p.id = before.id
  RETURNING p.id, p.developers, p.developers_acr
), ended AS (
  DELETE FROM developer_sessions s USING changed WHERE s.provider_id = changed.id AND NOT changed.developers RETURNING 1
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'provider', (changed.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('before', jsonb_build_object('developers', before.developers, 'developers_acr', before.developers_acr), 'after', jsonb_build_object('developers', changed.developers, 'developers_acr', changed.developers_acr)))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['provider.updated']) AS event, changed JOIN before USING (id)
)
SELECT id, (SELECT count(*)::int FROM ended) AS sessions_ended FROM changed;

-- set_operator_logins
WITH before AS (
  SELECT id, operators, operators_acr FROM identity_providers WHERE id = $1 FOR UPDATE
), changed AS (
  UPDATE identity_providers p SET operators = $2, operators_acr = $3 FROM before WHERE p.id = before.id
  RETURNING p.id, p.operators, p.operators_acr
), ended AS (
  DELETE FROM operator_sessions s USING changed WHERE s.provider_id = changed.id AND NOT changed.operators RETURNING 1
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'provider', (changed.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('before', jsonb_build_object('operators', before.operators, 'operators_acr', before.operators_acr), 'after', jsonb_build_object('operators', changed.operators, 'operators_acr', changed.operators_acr)))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['provider.updated']) AS event, changed JOIN before USING (id)
)
SELECT id, (SELECT count(*)::int FROM ended) AS sessions_ended FROM changed;

-- set_password_by_link
WITH changed AS (
  UPDATE users u SET password_hash = $2, login_version = gen_random_uuid() FROM password_links l, firms f
  WHERE l.hash = $1 AND u.id = l.user_id AND f.id = u.firm_id AND l.expires_at > now() AND l.login_version = u.login_version AND u.status = 'active' AND f.local_passwords
  RETURNING u.id, u.firm_id, u.login_version
), used AS (
  DELETE FROM password_links l USING changed WHERE l.user_id = changed.id
), ended AS (
  DELETE FROM sessions s USING changed WHERE s.user_id = changed.id RETURNING 1
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'password_changed', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('by', 'link', 'at', now())),
  now() + interval '2 days'
  FROM changed JOIN users u USING (id) WHERE $4::boolean
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (changed.id)::text,
  (changed.firm_id)::text, (changed.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('by', 'link', 'sessions_ended', (SELECT count(*) FROM ended)))
  FROM (SELECT ($5)::jsonb AS origin) AS o, unnest(ARRAY['user.password_set']) AS event, changed
)
SELECT encode(sha256($3::bytea || convert_to(login_version::text, 'UTF8')), 'hex') AS proof FROM changed;

-- set_up_developer
WITH link AS (
  DELETE FROM developer_links l USING developers o WHERE l.hash = $1 AND o.id = l.developer_id AND l.expires_at > now() AND o.status = 'active'
  RETURNING l.developer_id
), changed AS (
  UPDATE developers o SET password_hash = $2, login_version = gen_random_uuid() FROM link WHERE o.id = link.developer_id
  RETURNING o.id, o.name, o.login_version
), totp AS (
  INSERT INTO developer_totp_secrets (developer_id, sealed, last_step)
  SELECT id, $3, $4::bigint FROM changed
  ON CONFLICT (developer_id) DO UPDATE SET sealed = excluded.sealed, last_step = excluded.last_step, created_at = now(),
  last_used_at = NULL
), codes AS (
  INSERT INTO developer_recovery_codes (developer_id, hashes) SELECT id, $5::bytea[] FROM changed
  ON CONFLICT (developer_id) DO UPDATE SET hashes = excluded.hashes, created_at = now()
), ended AS (
  DELETE FROM developer_sessions s USING changed WHERE s.developer_id = changed.id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (changed.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('credentials', 'set'::text))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['developer.updated']) AS event, changed
)
SELECT id::text, name, login_version::text FROM changed;

-- set_up_operator
WITH link AS (
  DELETE FROM operator_links l USING operators o WHERE l.hash = $1 AND o.id = l.operator_id AND l.expires_at > now() AND o.status = 'active'
  RETURNING l.operator_id
), changed AS (
  UPDATE operators o SET password_hash = $2, login_version = gen_random_uuid() FROM link WHERE o.id = link.operator_id
  RETURNING o.id, o.name, o.login_version
), totp AS (
  INSERT INTO operator_totp_secrets (operator_id, sealed, last_step)
  SELECT id, $3, $4::bigint FROM changed
  ON CONFLICT (operator_id) DO UPDATE SET sealed = excluded.sealed, last_step = excluded.last_step, created_at = now(),
  last_used_at = NULL
), codes AS (
  INSERT INTO operator_recovery_codes (operator_id, hashes) SELECT id, $5::bytea[] FROM changed
  ON CONFLICT (operator_id) DO UPDATE SET hashes = excluded.hashes, created_at = now()
), ended AS (
  DELETE FROM operator_sessions s USING changed WHERE s.operator_id = changed.id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'operator', (changed.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('credentials', 'set'::text))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['operator.updated']) AS event, changed
)
SELECT id::text, name, login_version::text FROM changed;

-- store_idempotent_answer
UPDATE idempotent_requests SET status = $3, location = $4, body = $5::json
WHERE actor_id = $1 AND key_hash = $2 RETURNING status;

-- store_totp_secret
WITH stored AS (
  INSERT INTO totp_secrets (user_id, sealed, last_step)
  SELECT id, $2, $3 FROM users WHERE id = $1 AND status = 'active'
  ON CONFLICT (user_id) DO UPDATE SET sealed = excluded.sealed, last_step = excluded.last_step, created_at = now(),
  last_used_at = NULL
  RETURNING user_id
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'factors_changed', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('change', 'totp_added', 'at', now())),
  now() + interval '2 days'
  FROM stored JOIN users u ON u.id = stored.user_id WHERE $4::boolean
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (u.id)::text,
  (u.firm_id)::text, (u.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('method', 'totp'))
  FROM (SELECT ($5)::jsonb AS origin) AS o, unnest(ARRAY['user.factor_added']) AS event, stored JOIN users u ON u.id = user_id
)
SELECT user_id FROM stored;

-- stored_audit_removals
SELECT a.details FROM audit_log a WHERE a.event = 'audit.partition_dropped';

-- strengthen_session
WITH stronger AS (
  UPDATE sessions s SET hash = $3, acr = $4, amr = $5, auth_time = coalesce($6, s.auth_time),
  auth_time_is_known = s.auth_time_is_known OR $6 IS NOT NULL
  FROM users u WHERE s.hash = $1 AND s.user_id = $2 AND u.id = s.user_id AND s.expires_at > now() AND s.last_seen_at > now() - interval '30 minutes' AND s.login_version = u.login_version
  RETURNING s.*
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'session', (s.id)::text,
  (NULL)::text, (s.user_id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('acr', s.acr, 'amr', s.amr, 'provider', s.provider_id, 'browser', s.browser, 'system', s.system, 'step_up', true))
  FROM (SELECT ($7)::jsonb AS origin) AS o, unnest(ARRAY['login.succeeded']) AS event, stronger s
)
SELECT user_id FROM stronger;

-- suspend_partner
WITH old AS (SELECT client_id, jsonb_build_object('name', p.name, 'status', p.status, 'redirect_uris', p.redirect_uris, 'require_pkce', p.require_pkce, 'auth_methods', p.auth_methods, 'key_thumbprints', p.key_thumbprints, 'id_token_alg', p.id_token_alg, 'id_token_on_refresh', p.id_token_on_refresh, 'post_logout_redirect_uris', p.post_logout_redirect_uris, 'site', p.site, 'logo', p.logo, 'privacy_url', p.privacy_url, 'description', p.description, 'limits', p.limits, 'grant_lifetime_days', p.grant_lifetime_days, 'require_acr', p.require_acr) || jsonb_build_object('live_secrets', cardinality(p.secret_hashes)) AS settings FROM partners p WHERE client_id = $1 FOR NO KEY UPDATE), changed AS (
  UPDATE partners SET status = 'suspended' WHERE client_id = (SELECT client_id FROM old) RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'partner', (c.client_id)::text,
  (NULL)::text, (NULL)::text, (c.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(old.settings, (jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes)))), 'after', differing_fields((jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes))), old.settings)))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['partner.suspended']) AS event, changed c JOIN old USING (client_id)
)
SELECT client_id, name, status, redirect_uris, require_pkce, auth_methods,
ARRAY(SELECT key->>'kid' FROM jsonb_array_elements(jwks->'keys') WITH ORDINALITY AS k (key, place) ORDER BY place) AS key_ids,
id_token_alg, id_token_on_refresh, post_logout_redirect_uris, site, logo, privacy_url, description, limits,
grant_lifetime_days, require_acr FROM changed;

-- sync_accounts
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), latest AS (
  SELECT greatest(f.changed_at, u.sees_since) AS as_of, f.changed_at, u.sees_since
  FROM caller JOIN firms f ON f.id = caller.firm_id JOIN users u ON u.id = caller.user_id
), page AS (SELECT seen.* FROM caller CROSS JOIN LATERAL (
    SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, household_id, id) AS entries FROM (
      SELECT a.firm_id AS scope, a.household_id, a.id, a.json FROM accounts a
      WHERE (a.firm_id, a.household_id, a.id) > (caller.firm_id, $2, $3) AND a.firm_id <= caller.firm_id
      AND a.status = 'active'
      ORDER BY a.firm_id, a.household_id, a.id LIMIT $4::int + 1) AS entry) AS seen WHERE caller.sees = 'firm'
  UNION ALL
  SELECT seen.* FROM caller CROSS JOIN LATERAL (
    SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, household_id, id) AS entries FROM (
      SELECT scope, household_id, id, json
      FROM (SELECT x.user_id AS scope, x.household_id, x.account_id AS id,
        (SELECT a.json FROM accounts a
          WHERE a.household_id = x.household_id AND a.id = x.account_id AND a.status = 'active') AS json
        FROM account_access x
        WHERE (x.user_id, x.household_id, x.account_id) > (caller.user_id, $2, $3)
        AND x.user_id <= caller.user_id AND x.firm_id = caller.firm_id
        ORDER BY x.user_id, x.household_id, x.account_id OFFSET 0) AS own
      WHERE json IS NOT NULL
      ORDER BY scope, household_id, id LIMIT $4::int + 1) AS entry) AS seen WHERE caller.sees = 'granted')
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) FROM caller) AS visibility_version, coalesce((SELECT count FROM page), 0) AS count, (SELECT entries FROM page) AS entries, coalesce((SELECT to_char(as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM latest), '') AS as_of,
coalesce((SELECT $5::timestamptz < sees_since FROM latest), false) AS expired;

-- sync_households
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
), latest AS (
  SELECT greatest(f.changed_at, u.sees_since) AS as_of, f.changed_at, u.sees_since
  FROM caller JOIN firms f ON f.id = caller.firm_id JOIN users u ON u.id = caller.user_id
), page AS (SELECT seen.* FROM caller CROSS JOIN LATERAL (
    SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (
      SELECT h.firm_id AS scope, h.id, h.json FROM households h
      WHERE (h.firm_id, h.id) > (caller.firm_id, $2) AND h.firm_id <= caller.firm_id
      ORDER BY h.firm_id, h.id LIMIT $3::int + 1) AS entry) AS seen WHERE caller.sees = 'firm'
  UNION ALL
  SELECT seen.* FROM caller CROSS JOIN LATERAL (
    SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, id) AS entries FROM (
      SELECT caller.user_id AS scope, h.id, h.json FROM households h
      WHERE h.firm_id = caller.firm_id AND h.id = ANY (ARRAY(SELECT household_id FROM (
            SELECT DISTINCT user_id, household_id FROM account_access
            WHERE (user_id, household_id) > (caller.user_id, $2) AND user_id <= caller.user_id
            AND firm_id = caller.firm_id
            ORDER BY user_id, household_id LIMIT $3::int + 1) AS own))) AS entry) AS seen WHERE caller.sees = 'granted')
SELECT
(SELECT grant_id FROM bearer) AS grant_id, now() AS used_at, (SELECT refusal FROM bearer) AS refusal,
(SELECT client_id FROM bearer) AS client_id, (SELECT user_id FROM bearer) AS user_id, (SELECT concat_ws(' ', caller.user_id, caller.firm_id, caller.sees, extract(epoch FROM caller.firm_changed_at)) FROM caller) AS visibility_version, coalesce((SELECT count FROM page), 0) AS count, (SELECT entries FROM page) AS entries, coalesce((SELECT to_char(as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') FROM latest), '') AS as_of,
coalesce((SELECT $4::timestamptz < sees_since FROM latest), false) AS expired;

-- take_due
WITH due AS (
  SELECT o.id FROM outbox o
  WHERE o.kind = $1 AND o.next_attempt_at <= now()
  AND NOT EXISTS (SELECT FROM outbox earlier
    WHERE earlier.kind = o.kind AND earlier.order_key = o.order_key AND earlier.place < o.place)
  ORDER BY o.next_attempt_at LIMIT $2 FOR UPDATE OF o SKIP LOCKED
)
UPDATE outbox o SET attempts = o.attempts + 1, next_attempt_at = now() + interval '30 seconds'
FROM due WHERE o.id = due.id
RETURNING o.id, o.payload, o.attempts, o.created_at, o.expires_at <= now() AS is_expired;

-- take_due_webhook_messages
WITH busy AS MATERIALIZED (
  SELECT b.id, b.attempts, e.client_id
  FROM unnest($1::uuid[], $2::int[]) AS b (id, attempts) JOIN webhook_endpoints e ON e.id = b.id
), seen AS MATERIALIZED (
  SELECT due.*, e.client_id, head.id AS head_id, slots.*
  FROM webhook_endpoints e JOIN partners p ON p.client_id = e.client_id
  LEFT JOIN busy ON busy.id = e.id
  CROSS JOIN LATERAL (
    SELECT CASE WHEN e.failing_since IS NULL THEN 4 ELSE 1 END - coalesce(busy.attempts, 0) AS free,
    8 - (SELECT coalesce(sum(b.attempts), 0) FROM busy b WHERE b.client_id = e.client_id) AS free_of_partner) AS slots
  CROSS JOIN LATERAL (
    SELECT m.id, m.endpoint_id, m.grant_id, m.place, m.next_attempt_at FROM webhook_messages m
    WHERE m.endpoint_id = e.id AND m.next_attempt_at <= now() ORDER BY m.next_attempt_at LIMIT 100) AS due
  LEFT JOIN LATERAL (
    SELECT h.id FROM webhook_messages h
    WHERE h.endpoint_id = due.endpoint_id AND h.grant_id = due.grant_id AND h.place < due.place AND h.next_attempt_at IS NOT NULL
    ORDER BY h.place LIMIT 1) AS head ON true
  WHERE e.status = 'active' AND p.status = 'active' AND slots.free > 0 AND slots.free_of_partner > 0
), heads AS (
  SELECT *, row_number() OVER (PARTITION BY endpoint_id ORDER BY next_attempt_at, place) AS turn
  FROM seen WHERE head_id IS NULL
), turns AS (
  SELECT *, row_number() OVER (PARTITION BY client_id ORDER BY turn, next_attempt_at) AS turn_of_partner
  FROM heads WHERE turn <= free
), chosen AS (
  SELECT m.id FROM turns JOIN webhook_messages m ON m.id = turns.id
  WHERE turns.turn_of_partner <= turns.free_of_partner AND m.next_attempt_at <= now()
  ORDER BY turns.turn, m.next_attempt_at LIMIT $3::int FOR NO KEY UPDATE OF m SKIP LOCKED
), taken AS (
  UPDATE webhook_messages m
  SET attempts = m.attempts + 1, next_attempt_at = now() + interval '30 seconds', taken_by = $4
  FROM chosen WHERE m.id = chosen.id RETURNING m.*
), behind AS (
  SELECT m.id, greatest(head.next_attempt_at, now() + interval '30 seconds') AS until
  FROM seen JOIN webhook_messages m ON m.id = seen.id JOIN webhook_messages head ON head.id = seen.head_id
  WHERE seen.head_id IS NOT NULL AND m.next_attempt_at <= now() AND head.next_attempt_at IS NOT NULL
  FOR NO KEY UPDATE OF m, head SKIP LOCKED
), postponed AS (
  UPDATE webhook_messages m SET next_attempt_at = behind.until FROM behind WHERE m.id = behind.id
)
SELECT t.id, t.endpoint_id, e.url, t.type, t.data, t.created_at, t.attempts, t.failures,
ARRAY(SELECT s.sealed FROM webhook_secrets s
  WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > now()) ORDER BY s.id DESC LIMIT 2) AS secrets
FROM taken t JOIN webhook_endpoints e ON e.id = t.endpoint_id;

-- take_going_live_request
INSERT INTO going_live_requests (jti, client_id, sandbox, sandbox_client_id)
SELECT $1, $3, $4, $5 WHERE $2::timestamptz > now()
ON CONFLICT DO NOTHING RETURNING opened_at;

-- take_leases
INSERT INTO limit_windows AS w (window_at, key, most, used, granted)
SELECT date_trunc('minute', now()), key, most, admitted + granted, granted
FROM unnest($1::text[], $2::int[], $3::int[], $4::int[]) AS wanted (key, most, admitted, lease),
LATERAL (SELECT greatest(least(lease, most - admitted), 0) AS granted) first
ORDER BY key
ON CONFLICT (window_at, key) DO UPDATE SET
most = excluded.most,
used = w.used + excluded.used - excluded.granted
+ greatest(least(excluded.granted, excluded.most - w.used - (excluded.used - excluded.granted)), 0),
granted = greatest(least(excluded.granted, excluded.most - w.used - (excluded.used - excluded.granted)), 0)
RETURNING now() AS now, key, granted, used;

-- tell_firm
WITH firm AS (
  SELECT * FROM firm_notices WHERE until_at IS NOT NULL ORDER BY until_at LIMIT 1 FOR UPDATE SKIP LOCKED
), user_batch AS MATERIALIZED (
  SELECT u.* FROM firm CROSS JOIN LATERAL (
    SELECT * FROM users WHERE (firm_id, id) > (firm.firm_id, firm.after_user) AND firm_id <= firm.firm_id
    ORDER BY firm_id, id LIMIT 1000) AS u
), batch AS MATERIALIZED (
  SELECT g.id AS grant_id, u.id AS user_id, u.firm_id, r.sees, firm.until_at,
  greatest(firm.told_at, e.tells_after, u.sees_since) AS since,
  u.sees_since > greatest(firm.told_at, e.tells_after, g.created_at) AS must_resync
  FROM firm CROSS JOIN user_batch u JOIN roles r ON r.name = u.role
  JOIN grants g ON g.user_id = u.id
  CROSS JOIN LATERAL (
    SELECT min(e.tells_after) AS tells_after FROM webhook_endpoints e
    WHERE e.client_id = g.client_id AND e.events && ARRAY['household.changed', 'household.removed', 'grant.resync_required']) AS e
  WHERE u.status = 'active' AND (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true)) AND e.tells_after IS NOT NULL
  ORDER BY u.id FETCH FIRST 50 ROWS WITH TIES
), found_changes AS MATERIALIZED (
  SELECT caller.*, found.*
  FROM batch AS caller CROSS JOIN LATERAL (
    SELECT coalesce(bool_or(beyond), false) AS many, coalesce(bool_or(is_visible), false) AS changed,
    coalesce(jsonb_agg(DISTINCT id) FILTER (WHERE NOT is_visible AND NOT beyond), '[]') AS removed
    FROM (SELECT first.*, EXISTS (SELECT h.json FROM households h WHERE h.id = first.id AND (
          h.firm_id = caller.firm_id AND (caller.sees = 'firm' OR caller.sees = 'granted' AND EXISTS (
              SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = h.id OFFSET 0)))) AS is_visible FROM (
        SELECT c.household_id AS id, c.beyond FROM (
          SELECT household_id, row_number() OVER (ORDER BY changed_at, household_id) > 200 AS beyond
          FROM (SELECT * FROM household_changes c
            WHERE (c.firm_id, c.changed_at, c.household_id) > (caller.firm_id, caller.since, '~')
            AND (c.firm_id, c.changed_at) <= (caller.firm_id, caller.until_at)
            AND c.firm_id >= caller.firm_id AND c.firm_id <= caller.firm_id
            ORDER BY c.firm_id, c.changed_at, c.household_id LIMIT 201) AS logged) AS c
        WHERE c.beyond OR caller.sees = 'firm' OR EXISTS (
          SELECT FROM account_access x WHERE x.user_id = caller.user_id AND x.household_id = c.household_id OFFSET 0)
        UNION ALL
        SELECT c.household_id, c.beyond FROM (
          SELECT household_id, row_number() OVER (ORDER BY changed_at, household_id) > 200 AS beyond
          FROM (SELECT * FROM access_changes c
            WHERE (c.user_id, c.changed_at, c.household_id) > (caller.user_id, caller.since, '~')
            AND (c.user_id, c.changed_at) <= (caller.user_id, caller.until_at)
            AND c.user_id >= caller.user_id AND c.user_id <= caller.user_id
            ORDER BY c.user_id, c.changed_at, c.household_id LIMIT 201) AS logged) AS c
        WHERE caller.sees = 'granted' AND (c.beyond OR EXISTS (
            SELECT FROM households h WHERE h.firm_id = caller.firm_id AND h.id = c.household_id OFFSET 0) OR EXISTS (
            SELECT FROM household_changes l WHERE l.firm_id = caller.firm_id AND l.household_id = c.household_id OFFSET 0))) AS first OFFSET 0) AS change
  ) AS found
), told AS (
  SELECT n.*, g.client_id, facts_of_grant(g) AS facts
  FROM found_changes n JOIN grants g ON g.id = n.grant_id
  WHERE (g.revoked_at IS NULL AND coalesce(g.expires_at > now(), true)) AND (must_resync OR many OR changed OR removed <> '[]')
  ORDER BY g.id FOR SHARE OF g
), event AS (
  SELECT write_event(n.client_id, e.type, n.grant_id, n.facts || e.facts)
  FROM told n CROSS JOIN LATERAL (
    SELECT 'grant.resync_required' AS type,
    jsonb_build_object('since', to_char(n.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) || jsonb_build_object('url', $1::text || 'api/v2/households') AS facts
    WHERE must_resync
    UNION ALL
    SELECT 'household.removed',
    jsonb_build_object('since', to_char(n.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) || jsonb_build_object('url',
      $1::text || 'api/v2/households' || '?updated_since=' || replace(to_char(n.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), ':', '%3A')) || jsonb_build_object(
      'removed', (SELECT coalesce(jsonb_agg(
            jsonb_build_object('id', named.id, 'reason', CASE WHEN EXISTS (SELECT FROM households h WHERE h.id = named.id OFFSET 0) THEN 'access_ended' ELSE 'household_deleted' END)
            ORDER BY named.id), '[]')
        FROM (SELECT id FROM jsonb_array_elements_text(removed) AS id
          ORDER BY id LIMIT 100) AS named),
      'has_more', many OR jsonb_array_length(removed) > 100)
    WHERE NOT must_resync AND (many OR removed <> '[]')
    UNION ALL
    SELECT 'household.changed', jsonb_build_object('since', to_char(n.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) || jsonb_build_object('url',
      $1::text || 'api/v2/households' || '?updated_since=' || replace(to_char(n.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), ':', '%3A'))
    WHERE NOT must_resync AND (many OR changed)) AS e
), moved AS (
  UPDATE firm_notices n SET
  told_at = CASE WHEN is_last THEN n.until_at ELSE n.told_at END,
  until_at = CASE WHEN is_last THEN NULL ELSE n.until_at END,
  after_user = CASE WHEN is_last THEN '' ELSE last_user END
  FROM firm, (
    SELECT grants < 50 AND users < 1000 AS is_last,
    CASE WHEN grants < 50 THEN s.last_user ELSE b.last_user END AS last_user
    FROM (SELECT count(*) AS grants, max(user_id) AS last_user FROM batch) AS b,
    (SELECT count(*) AS users, max(id) AS last_user FROM user_batch) AS s) AS progress
  WHERE n.firm_id = firm.firm_id
)
SELECT (SELECT count(*)::int FROM firm) AS firms, (SELECT count(*)::int FROM batch) AS grants,
(SELECT count(*)::int FROM event) AS events;

-- touch_api_key
UPDATE api_keys k SET last_used_at = now() WHERE k.id = $1 AND coalesce(k.last_used_at <= now() - interval '1 minute', true) RETURNING k.id;

-- touch_developer_key
UPDATE developer_keys k SET last_used_at = now() WHERE k.id = $1 AND coalesce(k.last_used_at <= now() - interval '1 minute', true) RETURNING k.id;

-- unchained_audit_rows
WITH bounds AS (
  SELECT coalesce((SELECT looked_to FROM audit_chain ORDER BY place DESC LIMIT 1), '0'::xid8) AS looked_to,
  pg_snapshot_xmax(pg_current_snapshot()) AS xmax
), unchained AS (
  SELECT a.id, a.transaction < b.looked_to OR a.transaction >= b.xmax AND b.looked_to < b.xmax AS is_inserted
  FROM audit_log a CROSS JOIN bounds b
  WHERE NOT EXISTS (SELECT FROM audit_chain c WHERE c.audit_id = a.id AND c.audit_at = a.at)
)
SELECT count(*) FILTER (WHERE is_inserted)::int AS inserted, min(id) FILTER (WHERE is_inserted)::text AS first,
count(*) FILTER (WHERE NOT is_inserted)::int AS waiting
FROM unchained;

-- unlink_by_operator
WITH gone AS (
  DELETE FROM identities i USING users u
  WHERE i.provider_id = $1 AND i.user_id = u.id AND (u.id = $2 OR u.email_folded = $2)
  RETURNING i.user_id, i.sub
), ended AS (
  DELETE FROM sessions s USING gone WHERE s.user_id = gone.user_id AND s.provider_id = $1 RETURNING 1
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (gone.user_id)::text,
  (NULL)::text, (gone.user_id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('provider', $1::text, 'sub', gone.sub, 'sessions_ended', (SELECT count(*) FROM ended)))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['user.identity_unbound']) AS event, gone
)
SELECT user_id, sub, (SELECT count(*)::int FROM ended) AS sessions_ended FROM gone;

-- update-password
WITH changed AS (
  UPDATE users SET password_hash = $2, login_version = gen_random_uuid() WHERE id = $1 OR email_folded = $1
  RETURNING id, firm_id
), ended AS (
  DELETE FROM sessions USING changed WHERE sessions.user_id = changed.id RETURNING 1
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'password_changed', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('by', 'operator', 'at', now())),
  now() + interval '2 days'
  FROM changed JOIN users u USING (id) WHERE $3::boolean
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (changed.id)::text,
  (changed.firm_id)::text, (changed.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('by', 'operator', 'sessions_ended', (SELECT count(*) FROM ended)))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['user.password_set']) AS event, changed
)
SELECT id, (SELECT count(*)::integer FROM ended) AS sessions_ended FROM changed;

-- update-to-active
WITH old AS (SELECT id, status FROM users WHERE id = $1 OR email_folded = $1 FOR NO KEY UPDATE), changed AS (
  UPDATE users SET status = 'active', disabled_by_operator_at = NULL
  WHERE id = (SELECT id FROM old) RETURNING id, firm_id, status
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (changed.id)::text,
  (changed.firm_id)::text, (changed.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(jsonb_build_object('status', old.status), jsonb_build_object('status', changed.status)), 'after', differing_fields(jsonb_build_object('status', changed.status), jsonb_build_object('status', old.status))))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['user.enabled']) AS event, changed JOIN old USING (id)
)
SELECT id FROM changed;

-- update-to-disabled
WITH old AS (SELECT id, status FROM users WHERE id = $1 OR email_folded = $1 FOR NO KEY UPDATE), changed AS (
  UPDATE users SET status = 'disabled', disabled_by_operator_at = coalesce(disabled_by_operator_at, now())
  WHERE id = (SELECT id FROM old) RETURNING id, firm_id, status
), ended AS (
  DELETE FROM sessions USING changed WHERE sessions.user_id = changed.id RETURNING 1
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'user', (changed.id)::text,
  (changed.firm_id)::text, (changed.id)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(jsonb_build_object('status', old.status), jsonb_build_object('status', changed.status)), 'after', differing_fields(jsonb_build_object('status', changed.status), jsonb_build_object('status', old.status)), 'sessions_ended', (SELECT count(*) FROM ended)))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['user.disabled']) AS event, changed JOIN old USING (id)
)
SELECT id, (SELECT count(*)::integer FROM ended) AS sessions_ended FROM changed;

-- update_developer
WITH found AS (
  SELECT id, email, name, status, coalesce($3, status) <> status AS ends_sessions,
  EXISTS (SELECT FROM developers o WHERE o.email_folded = $5 AND o.id <> d.id) AS email_taken
  FROM developers d WHERE (id::text = $1 OR email_folded = $1) FOR UPDATE
), changed AS (
  UPDATE developers d
  SET name = coalesce($2, d.name), status = coalesce($3, d.status),
  email = coalesce($4, d.email), email_folded = coalesce($5, d.email_folded),
  login_version = CASE WHEN found.ends_sessions THEN gen_random_uuid() ELSE d.login_version END
  FROM found WHERE d.id = found.id AND NOT found.email_taken
  RETURNING d.id, d.email, d.name, d.status
), ended AS (
  DELETE FROM developer_sessions s USING changed, found
  WHERE s.developer_id = changed.id AND found.ends_sessions RETURNING 1
), withdrawn AS (
  DELETE FROM developer_links l USING changed, found
  WHERE l.developer_id = changed.id AND changed.email <> found.email
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (changed.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('before', jsonb_build_object('email', found.email, 'name', found.name, 'status', found.status), 'after', jsonb_build_object('email', changed.email, 'name', changed.name, 'status', changed.status)))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['developer.updated']) AS event, changed JOIN found USING (id)
)
SELECT id::text, email_taken, (SELECT count(*)::int FROM ended) AS sessions_ended FROM found;

-- update_developer_membership
WITH admins AS (
  SELECT m.developer_id FROM developer_memberships m JOIN developers d ON d.id = m.developer_id
  WHERE m.client_id = $1 AND m.role = 'admin' AND m.last_seen_at IS NOT NULL AND d.status = 'active'
  ORDER BY m.developer_id FOR UPDATE OF m
), found AS (
  SELECT m.developer_id, m.role, d.email FROM developer_memberships m JOIN developers d ON d.id = m.developer_id
  WHERE m.client_id = $1 AND (d.id::text = $2 OR d.email_folded = $2) AND (SELECT count(*) FROM admins) >= 0
  FOR UPDATE OF m
), changed AS (
  UPDATE developer_memberships m SET role = $3 FROM found
  WHERE m.client_id = $1 AND m.developer_id = found.developer_id AND ($4 OR $3 = 'admin' OR NOT (found.developer_id IN (SELECT developer_id FROM admins) AND (SELECT count(*) FROM admins) = 1))
  RETURNING m.developer_id
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'developer', (developer_id)::text,
  (NULL)::text, (NULL)::text, ($1)::text,
  jsonb_strip_nulls(jsonb_build_object('email', found.email, 'before', jsonb_build_object('role', found.role), 'after', jsonb_build_object('role', $3::text)))
  FROM (SELECT ($5)::jsonb AS origin) AS o, unnest(ARRAY['developer.updated']) AS event, changed JOIN found USING (developer_id)
)
SELECT developer_id::text, NOT EXISTS (SELECT FROM changed) AS last_admin FROM found;

-- update_firm
WITH old AS (
  SELECT id, require_acr, local_passwords FROM firms WHERE id = $1 FOR NO KEY UPDATE
), changed AS (
  UPDATE firms SET require_acr = nullif(coalesce($2, require_acr), ''), local_passwords = coalesce($3, local_passwords)
  WHERE id = (SELECT id FROM old) RETURNING id, name, require_acr, local_passwords
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'firm', (changed.id)::text,
  (changed.id)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(jsonb_build_object('require_acr', old.require_acr, 'local_passwords', old.local_passwords), jsonb_build_object('require_acr', changed.require_acr, 'local_passwords', changed.local_passwords)), 'after', differing_fields(jsonb_build_object('require_acr', changed.require_acr, 'local_passwords', changed.local_passwords), jsonb_build_object('require_acr', old.require_acr, 'local_passwords', old.local_passwords))))
  FROM (SELECT ($4)::jsonb AS origin) AS o, unnest(ARRAY['firm.updated']) AS event, changed JOIN old USING (id)
)
SELECT id, name, require_acr, local_passwords FROM changed;

-- update_operator
WITH owners AS (
  SELECT id FROM operators WHERE role = 'owner' AND status = 'active' ORDER BY id FOR UPDATE
), found AS (
  SELECT id, email, name, role, status, coalesce($3, role) <> role OR coalesce($4, status) <> status AS ends_sessions
  FROM operators WHERE (id::text = $1 OR email_folded = $1) FOR UPDATE
), verdict AS (
  SELECT (found.id IN (SELECT id FROM owners) AND (SELECT count(*) FROM owners) = 1) AND (coalesce($3, found.role) <> 'owner' OR coalesce($4, found.status) <> 'active') AS last_owner,
  EXISTS (SELECT FROM operators o WHERE o.email_folded = $6 AND o.id <> found.id) AS email_taken
  FROM found
), changed AS (
  UPDATE operators o
  SET name = coalesce($2, o.name), role = coalesce($3, o.role), status = coalesce($4, o.status),
  email = coalesce($5, o.email), email_folded = coalesce($6, o.email_folded),
  login_version = CASE WHEN found.ends_sessions THEN gen_random_uuid() ELSE o.login_version END
  FROM found, verdict WHERE o.id = found.id AND NOT verdict.last_owner AND NOT verdict.email_taken
  RETURNING o.id, o.email, o.name, o.role, o.status
), ended AS (
  DELETE FROM operator_sessions s USING changed, found
  WHERE s.operator_id = changed.id AND found.ends_sessions RETURNING 1
), withdrawn AS (
  DELETE FROM operator_links l USING changed, found
  WHERE l.operator_id = changed.id AND changed.email <> found.email -- it was mailed to the old address
), audit AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'operator', (changed.id)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('before', jsonb_build_object('email', found.email, 'name', found.name, 'role', found.role, 'status', found.status), 'after', jsonb_build_object('email', changed.email, 'name', changed.name, 'role', changed.role, 'status', changed.status)))
  FROM (SELECT ($7)::jsonb AS origin) AS o, unnest(ARRAY['operator.updated']) AS event, changed JOIN found USING (id)
)
SELECT found.id::text, last_owner, email_taken, (SELECT count(*)::int FROM ended) AS sessions_ended FROM found, verdict;

-- update_partner_settings
WITH old AS (SELECT client_id, jsonb_build_object('name', p.name, 'status', p.status, 'redirect_uris', p.redirect_uris, 'require_pkce', p.require_pkce, 'auth_methods', p.auth_methods, 'key_thumbprints', p.key_thumbprints, 'id_token_alg', p.id_token_alg, 'id_token_on_refresh', p.id_token_on_refresh, 'post_logout_redirect_uris', p.post_logout_redirect_uris, 'site', p.site, 'logo', p.logo, 'privacy_url', p.privacy_url, 'description', p.description, 'limits', p.limits, 'grant_lifetime_days', p.grant_lifetime_days, 'require_acr', p.require_acr) || jsonb_build_object('live_secrets', cardinality(p.secret_hashes)) AS settings FROM partners p WHERE client_id = $1 AND auth_methods = $4 FOR NO KEY UPDATE), changed AS (
  UPDATE partners
  SET name = coalesce($2, name), redirect_uris = coalesce($3, redirect_uris),
  auth_methods = coalesce($5, auth_methods), secret_hashes = coalesce($6, secret_hashes),
  jwks = CASE WHEN $7::text IS NULL THEN jwks ELSE nullif($7, '')::jsonb END,
  key_thumbprints = coalesce($8, key_thumbprints),
  id_token_on_refresh = coalesce($9, id_token_on_refresh),
  limits = jsonb_strip_nulls(limits || coalesce($10::jsonb, '{}')),
  grant_lifetime_days = CASE WHEN $11::integer IS NULL THEN grant_lifetime_days ELSE nullif($11, 0) END,
  site = nullif(coalesce($12, site), ''),
  logo = nullif(coalesce($13, logo), ''),
  logo_image = CASE WHEN $13::text IS NULL THEN logo_image ELSE $14::bytea END,
  privacy_url = nullif(coalesce($15, privacy_url), ''),
  description = nullif(coalesce($16, description), ''),
  require_acr = nullif(coalesce($17, require_acr), ''),
  require_pkce = coalesce($18, require_pkce),
  post_logout_redirect_uris = coalesce($19, post_logout_redirect_uris)
  WHERE client_id = (SELECT client_id FROM old) AND auth_methods = $4
  RETURNING *
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'partner', (c.client_id)::text,
  (NULL)::text, (NULL)::text, (c.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(old.settings, (jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes)))), 'after', differing_fields((jsonb_build_object('name', c.name, 'status', c.status, 'redirect_uris', c.redirect_uris, 'require_pkce', c.require_pkce, 'auth_methods', c.auth_methods, 'key_thumbprints', c.key_thumbprints, 'id_token_alg', c.id_token_alg, 'id_token_on_refresh', c.id_token_on_refresh, 'post_logout_redirect_uris', c.post_logout_redirect_uris, 'site', c.site, 'logo', c.logo, 'privacy_url', c.privacy_url, 'description', c.description, 'limits', c.limits, 'grant_lifetime_days', c.grant_lifetime_days, 'require_acr', c.require_acr) || jsonb_build_object('live_secrets', cardinality(c.secret_hashes))), old.settings)))
  FROM (SELECT ($20)::jsonb AS origin) AS o, unnest(ARRAY['partner.updated']) AS event, changed c JOIN old USING (client_id)
)
SELECT client_id, name, status, redirect_uris, require_pkce, auth_methods,
ARRAY(SELECT key->>'kid' FROM jsonb_array_elements(jwks->'keys') WITH ORDINALITY AS k (key, place) ORDER BY place) AS key_ids,
id_token_alg, id_token_on_refresh, post_logout_redirect_uris, site, logo, privacy_url, description, limits,
grant_lifetime_days, require_acr FROM changed;

-- update_role
WITH old AS (
  SELECT name, require_acr FROM roles WHERE name = $1 FOR NO KEY UPDATE
), changed AS (
  UPDATE roles SET require_acr = $2 WHERE name = (SELECT name FROM old) RETURNING name, sees, require_acr
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'role', (changed.name)::text,
  (NULL)::text, (NULL)::text, (NULL)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(jsonb_build_object('require_acr', old.require_acr), jsonb_build_object('require_acr', changed.require_acr)), 'after', differing_fields(jsonb_build_object('require_acr', changed.require_acr), jsonb_build_object('require_acr', old.require_acr))))
  FROM (SELECT ($3)::jsonb AS origin) AS o, unnest(ARRAY['role.updated']) AS event, changed JOIN old USING (name)
)
SELECT name, sees, require_acr FROM changed;

-- update_webhook_endpoint
WITH old AS (
  SELECT * FROM webhook_endpoints WHERE client_id = $1 AND id = $2 FOR NO KEY UPDATE
), e AS (
  UPDATE webhook_endpoints n
  SET url = coalesce($3, n.url), events = coalesce($4::text[], n.events),
  description = CASE WHEN $5 = '' THEN NULL ELSE coalesce($5, n.description) END,
  failing_since = CASE WHEN $3 <> n.url THEN NULL ELSE n.failing_since END
  FROM old WHERE n.id = old.id RETURNING n.*
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'webhook', (e.id)::text,
  (NULL)::text, (NULL)::text, (e.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('before', differing_fields(jsonb_build_object('events', old.events, 'description', old.description, 'status', old.status, 'disabled_for', old.disabled_for)
        || jsonb_build_object('url', substring(old.url FROM '^[^/]*//[^/?]*/') || '…'), jsonb_build_object('events', e.events, 'description', e.description, 'status', e.status, 'disabled_for', e.disabled_for)
        || jsonb_build_object('url', substring(e.url FROM '^[^/]*//[^/?]*/') || '…')), 'after', differing_fields(jsonb_build_object('events', e.events, 'description', e.description, 'status', e.status, 'disabled_for', e.disabled_for)
        || jsonb_build_object('url', substring(e.url FROM '^[^/]*//[^/?]*/') || '…'), jsonb_build_object('events', old.events, 'description', old.description, 'status', old.status, 'disabled_for', old.disabled_for)
        || jsonb_build_object('url', substring(old.url FROM '^[^/]*//[^/?]*/') || '…')), 'url_changed', nullif(old.url <> e.url, false)))
  FROM (SELECT ($6)::jsonb AS origin) AS o, unnest(ARRAY['webhook.updated']) AS event, e JOIN old ON old.id = e.id
)
SELECT id FROM e;

-- use_developer_recovery_code
UPDATE developer_recovery_codes SET hashes = array_remove(hashes, $2::bytea)
WHERE developer_id = $1 AND $2 = ANY (hashes) RETURNING cardinality(hashes) AS left;

-- use_developer_totp
UPDATE developer_totp_secrets SET last_step = $2, last_used_at = now()
WHERE developer_id = $1 AND last_step < $2 AND sealed = $3 RETURNING true AS used;

-- use_operator_recovery_code
UPDATE operator_recovery_codes SET hashes = array_remove(hashes, $2::bytea)
WHERE operator_id = $1 AND $2 = ANY (hashes) RETURNING cardinality(hashes) AS left;

-- use_operator_totp
UPDATE operator_totp_secrets SET last_step = $2, last_used_at = now()
WHERE operator_id = $1 AND last_step < $2 AND sealed = $3 RETURNING true AS used;

-- use_passkey
WITH answered AS (
  INSERT INTO used_challenges (hash, expires_at) VALUES ($2, $3) ON CONFLICT DO NOTHING RETURNING 1
), used AS (
  UPDATE passkeys k SET counter = $4, backed_up = $5, last_used_at = now()
  FROM users u JOIN firms f ON f.id = u.firm_id
  WHERE k.credential_id = $1 AND u.id = k.user_id AND u.status = 'active' AND EXISTS (SELECT FROM answered)
  AND (f.local_passwords OR NOT $6)
  AND (k.counter < $4 OR k.counter = 0 AND $4 = 0)
  RETURNING u.id, u.login_version
)
SELECT EXISTS (SELECT FROM answered) AS is_first_answer, used.id AS user_id, used.login_version
FROM (SELECT) AS always LEFT JOIN used ON true;

-- use_recovery_code
UPDATE recovery_codes SET hashes = array_remove(hashes, $2::bytea)
WHERE user_id = $1 AND $2 = ANY (hashes) RETURNING cardinality(hashes) AS left;

-- use_totp_step
UPDATE totp_secrets SET last_step = $2, last_used_at = now()
WHERE user_id = $1 AND last_step < $2 AND sealed = $3 RETURNING true AS used;

-- visibility_version_of_caller
WITH
bearer AS (
  SELECT g.id AS grant_id, p.client_id, u.id AS user_id, g.subject, u.firm_id, r.sees,
  f.changed_at AS firm_changed_at,
  CASE
  WHEN c.revoked_at IS NOT NULL THEN
  CASE c.revoked_for WHEN 'partner' THEN 'ended_by_partner' WHEN 'code_replayed' THEN 'ended_by_code_replay'
  WHEN 'code_misused' THEN 'ended_by_code_misuse' WHEN 'refresh_replayed' THEN 'ended_by_refresh_replay' WHEN 'leaked' THEN 'ended_by_leak' ELSE 'ended' END
  WHEN g.expires_at <= coalesce(g.revoked_at, now()) THEN 'ended_by_expiry'
  WHEN g.revoked_at IS NOT NULL THEN
  CASE WHEN g.revoked_for = 'firm_changed' THEN 'ended_by_firm_change' WHEN g.revoked_by = 'user' THEN 'ended_by_user'
  WHEN g.revoked_by = 'operator' THEN 'ended_by_operator' ELSE 'ended' END
  WHEN u.status <> 'active' THEN 'user_disabled'
  WHEN p.status <> 'active' THEN 'client_suspended'
  WHEN ($1::access_token).expires_at <= now() THEN 'expired'
  WHEN NOT (
    ($1).nonce = c.access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '7320 seconds'
    OR ($1).nonce = c.previous_access_nonce AND ($1).expires_at <= c.access_nonce_at + interval '3660 seconds'
  ) IS TRUE THEN 'token_revoked'
  WHEN c.acr_level < p.require_level THEN
  CASE p.require_level WHEN 2 THEN 'two_factors_required' ELSE 'passkey_required' END
  END AS refusal
  FROM connections c
  JOIN grants g ON g.id = c.grant_id
  JOIN partners p ON p.client_id = g.client_id
  JOIN users u ON u.id = g.user_id
  JOIN roles r ON r.name = u.role
  JOIN firms f ON f.id = u.firm_id
  WHERE c.access_locator_hash = ($1).locator_hash
), caller AS (
  SELECT grant_id, user_id, subject, firm_id, firm_changed_at, sees FROM bearer WHERE refusal IS NULL
)
SELECT client_id, user_id, grant_id, now() AS used_at, concat_ws(' ', bearer.user_id, bearer.firm_id, bearer.sees, extract(epoch FROM bearer.firm_changed_at)) AS visibility_version
FROM bearer WHERE refusal IS NULL;

-- withdraw_leaked_secret
WITH found AS (
  SELECT client_id, $1 = ANY (secret_hashes) AS was_live, array_remove(secret_hashes, $1::bytea) AS others
  FROM partners WHERE $1 = ANY (secret_hashes) OR $1 = ANY (leaked_secret_hashes)
), withdrawn AS (
  UPDATE partners p SET secret_hashes = array_remove(p.secret_hashes, $1::bytea),
  leaked_secret_hashes = p.leaked_secret_hashes || $1::bytea
  FROM found f WHERE p.client_id = f.client_id AND $1 = ANY (p.secret_hashes)
  RETURNING p.client_id, cardinality(p.secret_hashes) AS live_secrets
), recorded AS (
  INSERT INTO audit_log (event, actor_kind, actor_id, actor_name, via, address, user_agent, request_id, target_kind,
    target_id, firm_id, user_id, client_id, details)
  SELECT event, origin->>'actor_kind', origin->>'actor_id', origin->>'actor_name', origin->>'via', origin->>'address',
  origin->>'user_agent', origin->>'request_id', 'partner', (w.client_id)::text,
  (NULL)::text, (NULL)::text, (w.client_id)::text,
  jsonb_strip_nulls(jsonb_build_object('credential', 'client_secret', 'live_secrets', w.live_secrets, 'source', $3::text))
  FROM (SELECT ($2)::jsonb AS origin) AS o, unnest(ARRAY['credential.leaked']) AS event, withdrawn w
)
SELECT client_id, was_live, cardinality(others) AS live_secrets FROM found;

-- write_end_notices
WITH due AS (
  SELECT id FROM grants WHERE end_notice_at <= now() AND revoked_at IS NULL
  ORDER BY end_notice_at LIMIT 500 FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE grants g SET end_notice_at = NULL FROM due WHERE g.id = due.id
  RETURNING g.user_id, g.client_id, g.expires_at, facts_of_grant(g) AS facts, g.id
), mail AS (
  INSERT INTO outbox (kind, payload, expires_at)
  SELECT 'mail',
  jsonb_build_object('mail', 'connection_ends', 'to', u.email, 'name', u.name,
    'language', coalesce((SELECT l.language FROM user_languages l WHERE l.user_id = u.id), 'en'),
    'facts', jsonb_build_object('partner', p.name, 'until', taken.expires_at)),
  now() + interval '2 days'
  FROM taken JOIN users u ON u.id = taken.user_id JOIN partners p USING (client_id)
  WHERE taken.expires_at > now() AND u.status = 'active' AND $1::boolean
), event AS (
  SELECT write_event(client_id, 'grant.expiring', id,
    facts || jsonb_build_object('expires_at', event_instant(expires_at)))
  FROM taken WHERE expires_at > now() ORDER BY id
)
SELECT (SELECT count(*)::int FROM taken) AS taken, (SELECT count(*)::int FROM event) AS events;

-- write_heartbeat
WITH continued AS (
  UPDATE uptimes SET up_to = greatest(up_to, now())
  WHERE up_from = (SELECT max(up_from) FROM uptimes) AND up_to >= now() - interval '11 seconds'
  RETURNING 1
)
INSERT INTO uptimes (up_from, up_to) SELECT now(), now() WHERE NOT EXISTS (SELECT FROM continued)
ON CONFLICT DO NOTHING;
