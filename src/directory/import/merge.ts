import type pg from 'pg'
import { type ImportFile, tableColumns } from './files.ts'

/** Rows of one file; `removed` where rows that are not in it were to go. */
export type Counts = { added: number; changed: number; unchanged: number; removed?: number }

/**
 * Brings a table to what was staged for it. Rows that are equal already are left alone, not even locked.
 * Two statements and not one with ON CONFLICT, which would lock and so write every row; between the two nobody
 * else can write, because the import holds the table's lock.
 */
export async function mergeFile(client: pg.ClientBase, file: ImportFile, instant: Date): Promise<Counts> {
  const staged = await client.query<{ rows: number }>(
    `SELECT count(*)::integer AS rows FROM staged_${file.table}`,
  )
  const changed = await update(client, file)
  const added = await insert(client, file, instant)
  return { added, changed, unchanged: (staged.rows[0]?.rows ?? 0) - added - changed }
}

async function update(client: pg.ClientBase, file: ImportFile): Promise<number> {
  const values = tableColumns(file).filter((column) => !file.key.includes(column))
  if (values.length === 0) return 0
  const list = (prefix: string) => values.map((column) => prefix + column).join(', ')
  const { rowCount } = await client.query(
    `UPDATE ${file.table} t SET (${list('')}) = ROW (${list('s.')})
       FROM staged_${file.table} s
      WHERE ${sameKey(file)} AND ROW (${list('t.')}) IS DISTINCT FROM ROW (${list('s.')})`,
  )
  return rowCount ?? 0
}

/** In the order of the primary key, so that its index is filled from left to right. */
async function insert(client: pg.ClientBase, file: ImportFile, instant: Date): Promise<number> {
  const staged = tableColumns(file)
  const { household } = file
  const into = [...staged, household ? 'household_id' : [], file.instant ?? []].flat()
  const values = [
    ...staged.map((column) => `s.${column}`),
    household ? household.value : [],
    file.instant ? '$1' : [],
  ]
  const { rowCount } = await client.query(
    `INSERT INTO ${file.table} (${into.join(', ')})
     SELECT ${values.flat().join(', ')}
       FROM staged_${file.table} s ${household?.join ?? ''}
      WHERE NOT EXISTS (SELECT FROM ${file.table} t WHERE ${sameKey(file)})
      ORDER BY ${household?.order ?? file.key.map((column) => `s.${column}`).join(', ')}`,
    file.instant ? [instant] : [],
  )
  return rowCount ?? 0
}

function sameKey(file: ImportFile): string {
  return file.key.map((column) => `t.${column} = s.${column}`).join(' AND ')
}
