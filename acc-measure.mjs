import pg from 'pg'
import { readFileSync } from 'node:fs'
const c = new pg.Client({ connectionString: process.env.DATABASE_URL, options: '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c plan_cache_mode=force_generic_plan -c jit=off' })
await c.connect()
const pid = (await c.query('select pg_backend_pid() p')).rows[0].p
const ticks = () => { const f = readFileSync(`/proc/${pid}/stat`,'utf8').split(') ')[1].split(' '); return +f[11] + +f[12] }
const J = process.env.J ?? `'{"id":' || to_json(a.id) || ',"household_id":' || to_json(a.household_id)|| coalesce(',"name":' || to_json(a.name), '')|| coalesce(',"type":' || to_json(a.type), '')|| coalesce(',"number_masked":' || to_json(a.number_masked), '')|| coalesce(',"custodian":' || to_json(a.custodian), '')|| coalesce(',"currency":' || to_json(a.currency), '')|| ',"status":' || to_json(a.status)|| coalesce(',"opened_on":' || to_json(a.opened_on), '')||'}'`
const JT = J.replace(/to_json\(a\.(id|household_id|name|type|number_masked|custodian|currency|status)\)/g, `'"' || a.$1 || '"'`)
const agg = (q) => `SELECT count(*)::int AS count, string_agg(json, ',' ORDER BY scope, household_id, id) AS entries FROM (${q}) e`
const caller = (u, s) => `WITH caller AS (SELECT (SELECT id FROM firms WHERE id='f1') AS firm_id, (SELECT id FROM users WHERE id='${u}') AS user_id, '${s}' AS sees) SELECT x.* FROM caller CROSS JOIN LATERAL `
const firm = (j) => `SELECT h.firm_id AS scope, h.id AS household_id, a.id, ${j} AS json
        FROM (SELECT firm_id, id FROM households WHERE (firm_id, id) >= (caller.firm_id, $2) AND firm_id <= caller.firm_id ORDER BY firm_id, id) AS h
       CROSS JOIN LATERAL (SELECT * FROM accounts WHERE household_id = h.id AND (household_id, id) > ($2, $3) AND status = 'active' OFFSET 0) AS a
       ORDER BY h.firm_id, h.id, a.id LIMIT $1::int + 1`
const granted = (j) => `SELECT x.user_id AS scope, x.household_id, x.account_id AS id, ${j} AS json
        FROM (SELECT user_id, household_id, account_id FROM account_access
               WHERE (user_id, household_id, account_id) > (caller.user_id, $2, $3) AND user_id <= caller.user_id AND firm_id = caller.firm_id
               ORDER BY user_id, household_id, account_id) AS x
       CROSS JOIN LATERAL (SELECT * FROM accounts WHERE household_id = x.household_id AND id = x.account_id AND status = 'active' LIMIT 1) AS a
       ORDER BY x.user_id, x.household_id, x.account_id LIMIT $1::int + 1`
const cols = `a.id, a.household_id, a.name, a.type, a.number_masked, a.custodian, a.currency, a.status, a.opened_on::text`
const V = {
  bare_firm: `SELECT ${cols} FROM households h JOIN accounts a ON a.household_id = h.id WHERE h.firm_id = 'f1' AND a.status = 'active' AND h.id >= $2 AND a.id > $3 ORDER BY h.id, a.id LIMIT $1::int`,
  bare_broad: `SELECT ${cols} FROM account_access x JOIN accounts a ON a.household_id = x.household_id AND a.id = x.account_id
            WHERE x.user_id = 'broad' AND x.firm_id = 'f1' AND a.status = 'active' AND x.household_id>=$2 and x.account_id >= $3 ORDER BY x.household_id, x.account_id LIMIT $1::int`,
  firm: caller('broad','firm') + `(${agg(firm(J))}) x`,
  firm_nojson: caller('broad','firm') + `(${agg(firm("'x'::text"))}) x`,
  firm_rawtext: caller('broad','firm') + `(${agg(firm(JT))}) x`,
  granted: caller('broad','granted') + `(${agg(granted(J))}) x`,
  granted_nojson: caller('broad','granted') + `(${agg(granted("'x'::text"))}) x`,
  ...(process.env.EXTRA ? eval(`(${process.env.EXTRA})`) : {}),
}
for (const [name, text] of Object.entries(V)) {
  if (process.argv[2] && !new RegExp(process.argv[2]).test(name)) continue
  const q = { name, text, values: [1000, '', ''] }
  for (let i=0;i<5;i++) await c.query(q)
  const n = 150, t = ticks()
  for (let i=0;i<n;i++) await c.query(q)
  console.log(name, ((ticks()-t)*10000/n).toFixed(0), 'us')
  if (process.env.EXPLAIN) console.log((await c.query(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) EXECUTE ${name}(1000,'','')`).catch(e=>({rows:[{'QUERY PLAN':e.message}]}))).rows.map(r=>r['QUERY PLAN']).join('\n'))
}
await c.end()
