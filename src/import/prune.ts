import type pg from 'pg'
import Type, { Compile } from '../typebox.ts'
import { quoted } from '../visible-text.ts'
import type { Faults } from './faults.ts'
import { type ImportFile, importFiles } from './files.ts'
import { isReservedRow, type Reserved } from './reserved.ts'
import { removedName, type Staged, type StagedTables, stagedName } from './staged.ts'

/** The rows to remove from one table: `rows` of all `of` rows. `first` has the keys of the first few of them. */
export type Removal = { rows: number; of: number; first: string[] }

const shownKeys = 5

const removal = Compile(
  Type.Object({ rows: Type.Integer(), of: Type.Integer(), first: Type.Array(Type.String()) }),
)

/** Creates an empty table `removed_<table>` for each file. It lists the rows to remove. */
export async function prepareRemoved(client: pg.ClientBase): Promise<void> {
  for (const { table } of importFiles) {
    await client.query(
      `CREATE TEMP TABLE removed_${table} ON COMMIT DROP AS SELECT * FROM ${table} WITH NO DATA`,
    )
  }
}

/** Finds the rows that are in the tables of these files and not in the files. Reserved rows do not count. */
export async function findRemoved(
  staged: StagedTables,
  files: ImportFile[],
  reserved: Reserved | undefined,
): Promise<Record<string, Removal>> {
  const removals: Record<string, Removal> = {}
  for (const importFile of files) {
    const { file, table, key } = importFile
    const counts = reserved ? `NOT ${isReservedRow(reserved, importFile)}` : 'true'
    const same = key.map((column) => `s.${column} = t.${column}`).join(' AND ')
    const { rowCount } = await staged.client.query(
      `INSERT INTO removed_${table} SELECT t.* FROM ${table} t WHERE NOT EXISTS (SELECT FROM staged_${table} s WHERE ${same}) AND ${counts}`,
    )
    await staged.filled(`removed_${table}`, rowCount ?? 0)
    const { rows } = await staged.client.query(
      `SELECT (SELECT count(*) FROM removed_${table})::integer AS rows, (SELECT count(*) FROM ${table} t WHERE ${counts})::integer AS of,
              ARRAY(SELECT concat_ws(' ', ${key.join(', ')}) FROM removed_${table} ORDER BY ${key.join(', ')} LIMIT ${shownKeys}) AS first`,
    )
    removals[file] = removal.Parse(rows[0])
  }
  return removals
}

const referringRows = Compile(
  Type.Array(Type.Object({ value: Type.String(), by: Type.String(), total: Type.Integer() })),
)

/** A row to remove to which the row `by` of the file `child` still refers. */
export type Referred = { parent: ImportFile; value: string; child: ImportFile; by: string }

/**
 * Finds rows to remove to which stored rows refer that stay as they are. (References of staged rows: `storedChecks`.)
 * @param namedAtMost how many rows of each foreign key are named; all are counted in `total`
 */
export async function findReferred(
  staged: Staged,
  namedAtMost: number,
): Promise<{ named: Referred[]; total: number }> {
  const checked = foreignKeys.filter(({ parent }) => staged.count(removedName(parent)) > 0)
  const found = await Promise.all(
    checked.map(async ({ parent, child, sql }) => {
      const rows = referringRows.Parse(await staged.query(sql, [namedAtMost]))
      return {
        named: rows.map(({ value, by }): Referred => ({ parent, value, child, by })),
        total: rows[0]?.total ?? 0,
      }
    }),
  )
  return {
    named: found.flatMap(({ named }) => named),
    total: found.reduce((sum, { total }) => sum + total, 0),
  }
}

/** $1 the number of rows that it returns at most. */
const foreignKeys = importFiles.flatMap((child) =>
  child.columns.flatMap(({ name, references: to }) => {
    const parent = importFiles.find(({ table }) => table === to?.table)
    if (!to || !parent) return []
    const same = (row: string) => child.key.map((column) => `${row}.${column} = c.${column}`).join(' AND ')
    const also = to.alsoEqual ? `AND c.${to.alsoEqual} = gone.${to.alsoEqual}` : ''
    const sql = `
      SELECT gone.${to.key} AS value, min(concat_ws(' ', ${child.key.map((column) => `c.${column}`).join(', ')})) AS by,
             count(*) OVER ()::integer AS total
        FROM ${removedName(parent)} gone JOIN ${child.table} c ON c.${name} = gone.${to.key} ${also}
       WHERE NOT EXISTS (SELECT FROM ${stagedName(child)} s WHERE ${same('s')})
         AND NOT EXISTS (SELECT FROM ${removedName(child)} r WHERE ${same('r')})
       GROUP BY gone.${to.key} ORDER BY gone.${to.key} LIMIT $1`
    return [{ parent, child, sql }]
  }),
)

/** Reports rows to remove that other rows still refer to. Those other rows stay, because their file is missing. */
export async function checkRemoved(staged: Staged, faults: Faults): Promise<void> {
  const { named, total } = await findReferred(staged, faults.namedAtMost)
  for (const { parent, value, child, by } of named) {
    faults.note(
      `${parent.file}: the ${parent.noun} ${quoted(value)} is missing, but cannot be removed because ${quoted(by)} in ` +
        `${child.table} refers to it; is ${child.file} missing?`,
    )
  }
  faults.count(total - named.length)
}

/**
 * Deletes rows before the rows that they refer to. `findReferred` must have found none.
 * @returns the number of deleted rows of each table
 */
export async function removeRows(staged: Staged): Promise<Map<string, number>> {
  const counts = await Promise.all(deletions.map(({ sql }) => staged.run(sql)))
  return new Map(deletions.map(({ table }, index) => [table, counts[index] ?? 0]))
}

const deletions = importFiles.toReversed().map((file) => ({ table: file.table, sql: deletion(file) }))

function deletion(file: ImportFile): string {
  const { table, key, household } = file
  const same = key.map((column) => `t.${column} = s.${column}`).join(' AND ')
  return `DELETE FROM ${table} t USING ${removedName(file)} s ${household?.same ? household.join : ''}
           WHERE ${same} ${household?.same ?? ''}`
}
