import { statement } from '../database/database.ts'
import Type from '../typebox.ts'

/** Texts that a server seals again in one round. */
const batchSize = 500

const Sealed = Type.Object({ sealed: Type.String() })
const Count = Type.Object({ rows: Type.Integer() })

/**
 * The statements for a column whose texts `sealStored` has sealed. Such a text begins with the id of its key, three
 * characters. No two texts are the same.
 */
function sealedColumn<Table extends string>(table: Table, column: string) {
  return {
    table,
    /** A batch of the texts that one key seals. $1 id of the key */
    list: statement(
      `list_sealed_${table}`,
      Sealed,
      `SELECT ${column} AS sealed FROM ${table} WHERE left(${column}, 3) = $1 LIMIT ${batchSize}`,
    ),
    /**
     * Replaces each text, unless another server has replaced it since it was read.
     * $1 the texts as they were read, $2 the same secrets sealed with another key, in the same order
     */
    replace: statement(
      `replace_sealed_${table}`,
      Sealed,
      `UPDATE ${table} SET ${column} = next.sealed
         FROM unnest($1::text[], $2::text[]) AS next (old, sealed) WHERE ${column} = next.old
       RETURNING next.sealed`,
    ),
    /** How many texts are sealed with other keys than these. $1 ids of the keys */
    countUnreadable: statement(
      `count_unreadable_${table}`,
      Count,
      `SELECT count(*)::int AS rows FROM ${table} WHERE left(${column}, 3) <> ALL ($1::text[])`,
    ),
  }
}

export const sealedProviders = sealedColumn('identity_providers', 'credential')
export const sealedTotpSecrets = sealedColumn('totp_secrets', 'sealed')
export const sealedOperatorSecrets = sealedColumn('operator_totp_secrets', 'sealed')
export const sealedDeveloperSecrets = sealedColumn('developer_totp_secrets', 'sealed')
export const sealedWebhookSecrets = sealedColumn('webhook_secrets', 'sealed')
