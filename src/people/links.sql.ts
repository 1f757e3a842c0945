import type { PeopleKind } from './kind.ts'

/** Hours for which a link to set up an account works. */
export const linkLife = '24 hours'

/** SQL of an INSERT that stores a link for the person of each row of `from`. It replaces the person's older link. */
export function storeLink(kind: PeopleKind, hash: string, from: string): string {
  return `INSERT INTO ${kind}_links (${kind}_id, hash, expires_at)
     SELECT id, ${hash}, now() + interval '${linkLife}' FROM ${from}
     ON CONFLICT (${kind}_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at
     RETURNING expires_at`
}
