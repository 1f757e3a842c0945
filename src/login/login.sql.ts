import Type from 'typebox'
import { statement } from '../database/database.ts'

/** Minutes in which failures are counted, from the first. */
const windowMinutes = 15

/** Failures in that time; a source may be a whole office behind one address. */
const accountLimit = 10
const sourceLimit = 100

const counting = `ON CONFLICT (key) DO UPDATE SET
       count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
       resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
     RETURNING count, resets_at`

/** What a browser is known by: SHA-256 over its key of 32 bytes, so that nothing can be shifted to the hash behind it. */
export function proofOver(key: string, passwordHash: string): string {
  return `encode(sha256(${key}::bytea || convert_to(${passwordHash}, 'UTF8')), 'hex')`
}

/**
 * Finds the user, and counts an attempt before the password is looked at, so that parallel guesses cannot pass the limit
 * between them: against the source and then, unless that is over its limit, against the account. From a browser that is
 * known to the account it counts against the browser instead, whatever the source has done: so strangers cannot lock the
 * owner out, from next door neither, nor fill the table.
 *
 * A browser's proof is made over a key of its own (`proofKey`) and the
 * password hash: whoever once knew the password has no use of the browsers they collected, once it is changed.
 *
 * $1 key of the source, $2 key of the account, $3 folded email address, $4 key of the browser's own count,
 * $5 key of the browser's proof, $6 proofs that the browser sent
 */
export const beginLogin = statement(
  'begin_login',
  Type.Object({
    /** Seconds until the next attempt is looked at; null: this one is. */
    wait: Type.Union([Type.Integer(), Type.Null()]),
    /** Null: nobody may log in, whatever the password. */
    user_id: Type.Union([Type.String(), Type.Null()]),
    /**
     * The hash to verify. Without a user it is that of a neighbour: hashes that were imported may cost more than ours,
     * and their time must not tell who exists. Null when nobody has any.
     */
    password_hash: Type.Union([Type.String(), Type.Null()]),
    /** What this browser is going to be known by. */
    proof: Type.Union([Type.String(), Type.Null()]),
    known_browser: Type.Boolean(),
  }),
  `WITH known AS (
     SELECT id, password_hash, ${proofOver('$5', 'password_hash')} AS proof
       FROM users WHERE email_folded = $3 AND status = 'active' AND password_hash IS NOT NULL
   ), browser AS (
     SELECT EXISTS (SELECT FROM known WHERE proof = ANY ($6::text[])) AS is_known
   ), source AS (
     INSERT INTO login_failures AS f (key, count, resets_at)
     VALUES ($1, 1, now() + interval '${windowMinutes} minutes')
     ${counting}
   ), account AS (
     INSERT INTO login_failures AS f (key, count, resets_at)
     SELECT CASE WHEN is_known THEN $4::bytea ELSE $2 END, 1, now() + interval '${windowMinutes} minutes'
       FROM source, browser WHERE is_known OR count <= ${sourceLimit}
     ${counting}
   )
   SELECT ceil(extract(epoch FROM CASE WHEN NOT is_known AND source.count > ${sourceLimit} THEN source.resets_at
                                       WHEN account.count > ${accountLimit} THEN account.resets_at
                                  END - now()))::int AS wait,
          known.id AS user_id, known.proof, browser.is_known AS known_browser,
          coalesce(
            known.password_hash,
            (SELECT password_hash FROM users
              WHERE password_hash IS NOT NULL AND email_folded > $3 ORDER BY email_folded LIMIT 1),
            (SELECT password_hash FROM users WHERE password_hash IS NOT NULL ORDER BY email_folded LIMIT 1)
          ) AS password_hash
     FROM source CROSS JOIN browser LEFT JOIN account ON true LEFT JOIN known ON true`,
)

/**
 * A success takes its own attempt back from the source and clears what it was counted against beside it. The source
 * first, as above: locked in the other order, two logins of one user from one place would wait for each other.
 * $1 key of the source, $2 key of the account or of the browser's own count
 */
export const forgiveLogin = statement(
  'forgive_login',
  Type.Object({ count: Type.Integer() }),
  `WITH source AS (UPDATE login_failures SET count = count - 1 WHERE key = $1 RETURNING key)
   DELETE FROM login_failures WHERE key = $2 AND (SELECT count(*) FROM source) >= 0
   RETURNING count`,
)
