import type pg from 'pg'
import Type, { Compile } from '../typebox.ts'
import { quoted } from '../visible-text.ts'
import type { Faults } from './faults.ts'
import { type ImportFile, importFiles } from './files.ts'
import { isReservedRow, type Reserved } from './reserved.ts'

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
  client: pg.ClientBase,
  files: ImportFile[],
  reserved: Reserved | undefined,
): Promise<Record<string, Removal>> {
  const removals: Record<string, Removal> = {}
  for (const importFile of files) {
    const { file, table, key } = importFile
    const counts = reserved ? `NOT ${isReservedRow(reserved, importFile)}` : 'true'
    const same = key.map((column) => `s.${column} = t.${column}`).join(' AND ')
    await client.query(
      `INSERT INTO removed_${table} SELECT t.* FROM ${table} t WHERE NOT EXISTS (SELECT FROM staged_${table} s WHERE ${same}) AND ${counts}`,
    )
    await client.query(`ANALYZE removed_${table}`)
    const { rows } = await client.query(
      `SELECT (SELECT count(*) FROM removed_${table})::integer AS rows, (SELECT count(*) FROM ${table} t WHERE ${counts})::integer AS of,
              ARRAY(SELECT concat_ws(' ', ${key.join(', ')}) FROM removed_${table} ORDER BY ${key.join(', ')} LIMIT ${shownKeys}) AS first`,
    )
    removals[file] = removal.Parse(rows[0])
  }
  return removals
}

const referring = Compile(
  Type.Array(Type.Object({ value: Type.String(), by: Type.String(), total: Type.Integer() })),
)

/** Reports rows to remove that other rows still refer to. Those other rows stay, because their file is missing. */
export async function checkRemoved(
  client: pg.ClientBase,
  faults: Faults,
  files: ImportFile[],
): Promise<void> {
  for (const child of importFiles.filter((file) => !files.includes(file))) {
    for (const { name, references: to } of child.columns) {
      const parent = files.find((file) => file.table === to?.table)
      if (!to || !parent) continue
      const { rows } = await client.query(
        `SELECT gone.${to.key} AS value, min(concat_ws(' ', ${child.key.map((column) => `c.${column}`).join(', ')})) AS by,
                count(*) OVER ()::integer AS total
           FROM removed_${to.table} gone JOIN ${child.table} c ON c.${name} = gone.${to.key}
          GROUP BY gone.${to.key} ORDER BY gone.${to.key} LIMIT 20`,
      )
      const found = referring.Parse(rows)
      for (const { value, by } of found) {
        faults.note(
          `${parent.file}: the ${to.noun} ${quoted(value)} is missing, but cannot be removed because ${quoted(by)} in ` +
            `${child.table} refers to it; is ${child.file} missing?`,
        )
      }
      faults.count((found[0]?.total ?? 0) - found.length)
    }
  }
}

/** Deletes rows before the rows that they refer to. `checkRemoved` must have found no faults. */
export async function removeRows(client: pg.ClientBase, files: ImportFile[]): Promise<void> {
  for (const { table, key } of files.toReversed()) {
    const same = key.map((column) => `t.${column} = gone.${column}`).join(' AND ')
    await client.query(`DELETE FROM ${table} t USING removed_${table} gone WHERE ${same}`)
  }
}
