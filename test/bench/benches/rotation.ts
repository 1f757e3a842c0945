import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { builtRefresh } from '../built.ts'
import { meter } from '../cost.ts'
import { newDatabase, withClient } from '../databases.ts'
import type { Verdict } from '../goal.ts'
import { type Load, repeatTimes } from '../load.ts'
import { number, type Table } from '../table.ts'
import type { World } from '../world.ts'

const connections = 10_000
const clients = 8
/** Refreshes of each connection while a snapshot is open: PostgreSQL keeps all of these versions. */
const mostVersions = 10

/**
 * One refreshed connection for each of so many users. The locator of the n-th is `n`, so that a client can compute its hash.
 * The partner's secret has the digest 00.
 */
const setUp = `
  INSERT INTO firms VALUES ('f', 'Firm');
  INSERT INTO roles VALUES ('r', 'firm');
  INSERT INTO users (id, firm_id, email, email_folded, name, role, status)
    SELECT 'u' || n, 'f', 'u' || n, 'u' || n, 'User', 'r', 'active' FROM generate_series(1, ${connections}) AS n;
  INSERT INTO partners (client_id, name, redirect_uris, secret_hashes)
    VALUES ('bench', 'Bench', '{https://partner.example/callback}', ARRAY['\\x00'::bytea]);
  INSERT INTO grants (user_id, client_id, subject)
    SELECT 'u' || n, 'bench', 's' || n FROM generate_series(1, ${connections}) AS n;
  INSERT INTO connections (
      grant_id, client_id, code_hash, code_expires_at, redemptions, redirect_uri, auth_time, acr, amr,
      refresh_locator_hash, access_locator_hash, access_nonce, access_nonce_at,
      generation, refreshed_at, mark_generation, marked_at, earlier_generation, earlier_at)
    SELECT id, 'bench', sha256(('code ' || n)::bytea), now(), 1, 'https://partner.example/callback', now(), 'acr', '{pwd}',
           sha256(n::text::bytea), sha256(('access ' || n)::bytea), '\\x0011223344556677', now(),
           1, now(), 1, now(), 1, now()
      FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM grants) AS numbered`

const names = {
  usual: 'default settings',
  bare: 'full_page_writes = off',
  open: 'while a snapshot is open',
  ended: 'after the snapshot has ended',
}

/** `wal`: bytes of a refresh. `hot`: share. `before` and `after`: bytes of the table and its indexes. */
type Run = Load & { name: string; database: number; wal: number; hot: number; before: number; after: number }

/** The statement of a refresh alone, without HTTP, on durable commits. */
export async function rotation(world: World): Promise<Table[]> {
  const url = await newDatabase(world, 'bench_rotation')
  const total = world.effort.refreshes
  const few = Math.min(total, mostVersions * connections)
  const runs: Run[] = []
  await withClient(url, async (admin) => {
    await admin.query(setUp)
    await admin.query('VACUUM (ANALYZE) firms, roles, users, partners, grants, connections')
    const run = await refresher(world, url, admin)
    runs.push(await run(names.usual, total))
    runs.push(await withoutFullPageImages(admin, () => run(names.bare, total)))
    runs.push(await withSnapshotOpen(url, () => run(names.open, few)))
    await admin.query('VACUUM connections')
    runs.push(await run(names.ended, few))
  })
  return [tableOf(runs, total, few)]
}

/** @returns a function that refreshes connections at random so many times, after a checkpoint */
async function refresher(world: World, url: string, admin: pg.Client) {
  const { statement, settings } = await builtRefresh(url)
  const generations = new Uint32Array(connections).fill(1)
  const locatorHashes = await hashes(admin)
  const expiresAt = new Date(Date.now() + 30 * 86_400_000)

  /** Each client has connections of its own, because a parallel refresh of one connection waits. */
  const refresh = (pool: pg.Pool) => async (client: number) => {
    const n = client + clients * Math.floor(Math.random() * (connections / clients))
    const generation = generations[n] ?? 0
    const authentication = ['bench', 'client_secret_basic', Buffer.from([0])]
    const values = [...authentication, locatorHashes[n], generation, expiresAt, randomBytes(8)]
    const { rows } = await pool.query({ ...statement, values })
    if (rows[0]?.generation !== generation + 1)
      throw new Error(`the refresh failed: ${JSON.stringify(rows[0])}`)
    generations[n] = generation + 1
  }

  return async (name: string, count: number): Promise<Run> => {
    await admin.query('CHECKPOINT')
    const [before, updatesBefore] = [await sizeAndWal(admin), await updates(admin)]
    const pool = new pg.Pool({ ...settings, max: clients })
    const { result, database } = await meter().costOf(
      { server: [process.pid], postmaster: world.postmaster },
      () => repeatTimes(count, clients, refresh(pool)),
    )
    const after = await sizeAndWal(admin)
    await pool.end()
    const updated = await updates(admin, updatesBefore.all + count)
    return {
      ...{ name, ...result, database: database / count, before: before.size, after: after.size },
      wal: (after.wal - before.wal) / count,
      hot: (updated.hot - updatesBefore.hot) / count,
    }
  }
}

async function hashes(admin: pg.Client): Promise<Buffer[]> {
  const { rows } = await admin.query<{ hash: Buffer }>(
    `SELECT sha256(n::text::bytea) AS hash FROM generate_series(0, ${connections - 1}) AS n ORDER BY n`,
  )
  return rows.map(({ hash }) => hash)
}

async function sizeAndWal(admin: pg.Client): Promise<{ size: number; wal: number }> {
  const { rows } = await admin.query<{ size: string; wal: string }>(
    `SELECT pg_total_relation_size('connections') AS size, pg_current_wal_insert_lsn() - '0/0' AS wal`,
  )
  return { size: Number(rows[0]?.size), wal: Number(rows[0]?.wal) }
}

/** Counted updates of the table. Waits until so many are counted: a session reports its last ones when it ends. */
async function updates(admin: pg.Client, expected = 0): Promise<{ all: number; hot: number }> {
  for (;;) {
    const { rows } = await admin.query<{ all: string; hot: string }>(
      `SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = 'connections'`,
    )
    const [all, hot] = [Number(rows[0]?.all), Number(rows[0]?.hot)]
    if (all >= expected) return { all, hot }
    await setTimeout(50)
  }
}

async function withoutFullPageImages<T>(admin: pg.Client, work: () => Promise<T>): Promise<T> {
  await admin.query('ALTER SYSTEM SET full_page_writes = off')
  await reload(admin, 'off')
  try {
    return await work()
  } finally {
    await admin.query('ALTER SYSTEM RESET full_page_writes')
    await reload(admin, 'on')
  }
}

/** The next checkpoint puts the setting into effect. */
async function reload(admin: pg.Client, expected: string): Promise<void> {
  await admin.query('SELECT pg_reload_conf()')
  while ((await admin.query('SHOW full_page_writes')).rows[0]?.full_page_writes !== expected)
    await setTimeout(10)
}

/** PostgreSQL keeps each version of a row that is newer than the oldest open snapshot. */
function withSnapshotOpen<T>(url: string, work: () => Promise<T>): Promise<T> {
  return withClient(url, async (client) => {
    await client.query('SET idle_in_transaction_session_timeout = 0')
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await client.query('SELECT FROM connections LIMIT 1')
    return work()
  })
}

function tableOf(runs: Run[], total: number, few: number): Table {
  const of = (name: string) => runs.find((run) => run.name === name)
  const ratio = (name: string, against: number | undefined) =>
    (of(name)?.after ?? Number.NaN) / (against ?? Number.NaN)
  const verdicts: Verdict[] = [
    {
      goal: 'rotation: WAL of a refresh without full-page images',
      limit: { atMost: 300, unit: 'bytes' },
      measured: of(names.bare)?.wal ?? Number.NaN,
    },
    {
      goal: 'rotation: HOT updates',
      limit: { atLeast: 99, unit: '%' },
      measured: 100 * (of(names.usual)?.hot ?? Number.NaN),
    },
    {
      goal: `rotation: size after ${number(total)} refreshes against before`,
      limit: { atMost: 1.2 },
      measured: ratio(names.usual, of(names.usual)?.before),
    },
    {
      goal: `rotation: size ${number(few)} refreshes after a snapshot against its end`,
      limit: { atMost: 1 },
      measured: ratio(names.ended, of(names.open)?.after),
    },
  ]
  return {
    title: 'The statement of a refresh alone',
    note:
      `${clients} clients refresh ${number(connections)} connections at random, ${number(total)} times, and ${number(few)} times in ` +
      'each of the last two rows. Each refresh is on disk before the next. Each row begins with a checkpoint; WAL includes the ' +
      'page images that follow it. Size is that of the table and its indexes. The table is vacuumed before the last row.',
    columns: [
      ...['', 'refreshes/s', 'p50 ms', 'p99 ms', `database ${meter().unit}`, 'WAL bytes', 'HOT'],
      ...['MiB before', 'MiB after', 'growth bytes'],
    ],
    rows: runs.map((run) => [
      run.name,
      ...[run.calls / run.elapsed, run.p50, run.p99, run.database, run.wal].map(number),
      `${number(100 * run.hot)}%`,
      ...[run.before / 2 ** 20, run.after / 2 ** 20, (run.after - run.before) / run.calls].map(number),
    ]),
    verdicts,
  }
}
