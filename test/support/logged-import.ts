import type pg from 'pg'
import { foldCase } from '../../src/directory/case-folding.ts'
import type { DirectoryRows } from './directory.ts'

/** What an import changes, and what it must write into the change logs (docs/adr/0014), computed in the simplest way. */
function changesBetween(before: DirectoryRows, after: DirectoryRows) {
  const households: { firm: string; household: string }[] = []
  for (const { id, firm, name } of before.households) {
    const now = after.households.find((row) => row.id === id)
    if (now?.firm !== firm || now.name !== name) households.push({ firm, household: id })
  }
  for (const { id, firm } of after.households) {
    if (before.households.find((row) => row.id === id)?.firm !== firm)
      households.push({ firm, household: id })
  }
  const access = differences(reachOf(before), reachOf(after)).map(([user, household]) => ({
    user,
    household,
  }))
  const accounts = differences(openAccounts(before), openAccounts(after)).map(([firm, account]) => ({
    firm,
    account,
  }))
  const rowsOf = (rows: DirectoryRows) => rows.access.map(({ user, account }) => `${user} ${account}`)
  const accountAccess = differences(rowsOf(before), rowsOf(after)).map(([user, account]) => ({
    user,
    account,
  }))
  const users = after.users.filter(({ id, firm, sees }) => {
    const was = before.users.find((row) => row.id === id)
    return was?.firm !== firm || was.sees !== sees
  })
  const firmsOf = [...access, ...accountAccess].flatMap(({ user }) =>
    after.users.filter(({ id }) => id === user).map(({ firm }) => firm),
  )
  const firms = [...[...households, ...accounts].map(({ firm }) => firm), ...firmsOf]
  return { households, access, accounts, accountAccess, users, firms }
}

/** The words of each text that is in one list only. */
function differences(some: string[], others: string[]): string[][] {
  const only = [
    ...some.filter((text) => !others.includes(text)),
    ...others.filter((text) => !some.includes(text)),
  ]
  return only.map((text) => text.split(' '))
}

/** Each active account: firm, account and all that the API shows of it. */
function openAccounts({ accounts, households }: DirectoryRows): string[] {
  return accounts
    .filter(({ status }) => status === 'active')
    .map(({ id, household }) => `${households.find((row) => row.id === household)?.firm} ${id} ${household}`)
}

/** Each pair of a user and a household that one of the user's access rows leads to, in any firm. */
function reachOf({ access, accounts }: DirectoryRows): string[] {
  const pairs = access.map(({ user, account }) => {
    return `${user} ${accounts.find(({ id }) => id === account)?.household}`
  })
  return [...new Set(pairs)]
}

/**
 * An import that has its timestamp, has changed all rows and written the change logs, and has not committed yet.
 * `besides` is the number of irrelevant households, and of accounts, per firm that change with it.
 */
export async function beginImport(
  client: pg.Client,
  before: DirectoryRows,
  after: DirectoryRows,
  besides = 0,
): Promise<void> {
  const changes = changesBetween(before, after)
  await client.query('BEGIN')
  const { rows } = await client.query(
    `SELECT greatest(clock_timestamp(), max(changed_at) + interval '1 microsecond')::text AS at FROM firms`,
  )
  const at: unknown = rows[0].at
  await replaceRows(client, after)
  const others = after.firms.flatMap((firm) =>
    Array.from({ length: besides }, (_, index) => ({ firm, household: `~${firm}-${index}` })),
  )
  await writeLogs(client, at, {
    ...changes,
    households: [...changes.households, ...others],
    accounts: [...changes.accounts, ...others],
  })
  await client.query('UPDATE firms SET changed_at = $2 WHERE id = ANY ($1)', [changes.firms, at])
}

async function replaceRows(
  client: pg.Client,
  { households, accounts, access }: DirectoryRows,
): Promise<void> {
  const each = (text: string, list: unknown[]) => client.query(text, [JSON.stringify(list)])
  await client.query('DELETE FROM account_access; DELETE FROM accounts; DELETE FROM households')
  await each(
    'INSERT INTO households (id, firm_id, name, name_folded) SELECT * FROM jsonb_to_recordset($1) AS r(id text, firm text, name text, folded text)',
    households.map((row) => ({ ...row, folded: row.name ? foldCase(row.name) : null })),
  )
  await each(
    'INSERT INTO accounts (id, household_id, status) SELECT * FROM jsonb_to_recordset($1) AS r(id text, household text, status text)',
    accounts,
  )
  await each(
    `INSERT INTO account_access (user_id, account_id, household_id)
     SELECT "user", account, a.household_id FROM jsonb_to_recordset($1) AS r("user" text, account text) JOIN accounts a ON a.id = account`,
    access,
  )
}

/** Records the changes in the logs that syncs read, at one instant. */
async function writeLogs(
  client: pg.Client,
  at: unknown,
  changes: Record<'users' | 'households' | 'access' | 'accounts' | 'accountAccess', unknown[]>,
): Promise<void> {
  const eachAt = (text: string, list: unknown[]) => client.query(text, [JSON.stringify(list), at])
  await eachAt(
    `UPDATE users SET firm_id = firm, role = 'sees-' || sees, sees_since = $2
       FROM jsonb_to_recordset($1) AS r(id text, firm text, sees text) WHERE users.id = r.id`,
    changes.users,
  )
  await eachAt(
    `INSERT INTO household_changes SELECT DISTINCT firm, household, $2::timestamptz FROM jsonb_to_recordset($1) AS r(firm text, household text)
     ON CONFLICT (firm_id, household_id) DO UPDATE SET changed_at = excluded.changed_at`,
    changes.households,
  )
  await eachAt(
    `INSERT INTO access_changes SELECT "user", household, $2 FROM jsonb_to_recordset($1) AS r("user" text, household text)
     ON CONFLICT (user_id, household_id) DO UPDATE SET changed_at = excluded.changed_at`,
    changes.access,
  )
  await eachAt(
    `INSERT INTO account_changes SELECT DISTINCT firm, coalesce(account, household), $2::timestamptz
       FROM jsonb_to_recordset($1) AS r(firm text, account text, household text)
     ON CONFLICT (firm_id, account_id) DO UPDATE SET changed_at = excluded.changed_at`,
    changes.accounts,
  )
  await eachAt(
    `INSERT INTO account_access_changes SELECT "user", account, $2 FROM jsonb_to_recordset($1) AS r("user" text, account text)
     ON CONFLICT (user_id, account_id) DO UPDATE SET changed_at = excluded.changed_at`,
    changes.accountAccess,
  )
}
