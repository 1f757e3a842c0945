import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type pg from 'pg'
import Type, { Compile } from '../typebox.ts'
import { BackupError } from './backup-format.ts'
import { type AppliedEndings, changed, nothingApplied } from './endings.ts'

/** The log entries of endings. `time` is in milliseconds since the epoch. */
const Disconnected = Compile(
  Type.Object({
    event: Type.Literal('disconnect'),
    outcome: Type.Literal('disconnected'),
    time: Type.Number(),
    user_id: Type.String(),
    client_id: Type.String(),
  }),
)
const Revoked = Compile(Type.Object({ ended_connection: Type.String({ pattern: '^[0-9]{1,18}$' }) }))

/**
 * Applies the endings from the JSON lines of the server's log. The log must begin no later than the backup. Other lines are
 * ignored.
 * @throws {BackupError} when the file cannot be read
 */
export async function applyEndingsFromLog(restored: pg.ClientBase, file: string): Promise<AppliedEndings> {
  const applied = { ...nothingApplied }
  try {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const entry = jsonOf(line)
      if (Disconnected.Check(entry)) {
        applied.grants += await changed(
          restored,
          `UPDATE grants SET revoked_at = to_timestamp($3 / 1000.0), revoked_by = 'user'
            WHERE user_id = $1 AND client_id = $2 AND revoked_at IS NULL AND created_at <= to_timestamp($3 / 1000.0)`,
          [entry.user_id, entry.client_id, entry.time],
        )
      } else if (Revoked.Check(entry)) {
        applied.connections += await changed(
          restored,
          `UPDATE connections SET revoked_at = now(), revoked_for = 'partner' WHERE id = $1 AND revoked_at IS NULL`,
          [entry.ended_connection],
        )
      }
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new BackupError(`The log ${file} cannot be read: ${error.message}`)
  }
  return applied
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
