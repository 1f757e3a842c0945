import { type Statement, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'

/** Minutes for which failures are counted, starting with the first. */
export const windowMinutes = 15

/** Failures allowed in that time. A source may be a whole office behind one address. */
const accountLimit = 10
export const sourceLimit = 100

/** SQL for an upsert of `login_failures AS f`: counts until the first count's window ends. */
export const counting = `ON CONFLICT (key) DO UPDATE SET
       count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
       resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
     RETURNING count, resets_at`

/**
 * SQL for the proof by which an account knows a browser: SHA-256 over the browser's key and the user's `login_version`. The
 * key is always 32 bytes, so that two different pairs cannot give the same input.
 */
export function browserProof(key: string, loginVersion: string): string {
  return `encode(sha256(${key}::bytea || convert_to(${loginVersion}::text, 'UTF8')), 'hex')`
}

/**
 * SQL for the place among the `login_version`s of an address that belongs to no account. The account that follows provides the
 * decoy. One address always has the same place, and no one can choose two addresses with the same place without the key. If
 * similar addresses had the same decoy, an attacker could compare: only the address of a user would take another time.
 */
function decoyPosition(email: string): string {
  return `(SELECT encode(substring(sha256(convert_to(decoy_key || ${email}, 'UTF8')) FOR 16), 'hex')::uuid FROM deployment)`
}

export const LoginStart = Type.Object({
  /** Seconds until another attempt is allowed; null if this one is allowed. */
  wait: Type.Union([Type.Integer(), Type.Null()]),
  /** Null if no one can log in with this email address. */
  id: Type.Union([Type.String(), Type.Null()]),
  /** Of this account. */
  login_version: Type.Union([Type.String(), Type.Null()]),
  /**
   * The hash to verify. Without an account, it is a decoy, the hash of another: imported hashes take other times to verify
   * than the server's hashes, and the time must not reveal whether the account exists. Null if none has a password.
   */
  password_hash: Type.Union([Type.String(), Type.Null()]),
  known_browser: Type.Boolean(),
})

/**
 * A statement that begins a login with a password. Finds the account. Counts an attempt before the password is checked, so that
 * parallel attempts cannot exceed the limit. The attempt counts against the source and, if the source is within its limit,
 * against the account. From a browser that is known to the account, it counts against the browser instead of the account, even
 * if the source is over its limit. An attacker therefore cannot lock the owner out, not even from the same network. A source
 * over its limit cannot fill the table with accounts.
 *
 * A browser's proof depends on the browser's key (`proofKey`) and `login_version`. A new password makes all proofs
 * invalid, including those of an attacker who knew the old password.
 *
 * The statement: $1 key of the source, $2 key of the account, $3 folded email address, $4 key of the browser's count,
 * $5 keys of the browser's proof, $6 proofs that the browser sent
 *
 * @param table has `password_hash` and `login_version`
 * @param own SELECT of `id`, `password_hash`, `login_version` and `may_log_in` of the account with the address $3, if it has a
 *   password
 */
export function loginStatement(
  name: string,
  table: 'users' | 'operators' | 'developers',
  own: string,
): Statement<Static<typeof LoginStart>> {
  return statement(
    name,
    LoginStart,
    `WITH own AS (
     ${own}
   ), known AS (
     SELECT id, login_version FROM own WHERE may_log_in
   ), browser AS (
     SELECT EXISTS (SELECT FROM known, unnest($5::bytea[]) AS key
                     WHERE ${browserProof('key', 'login_version')} = ANY ($6::text[])) AS is_known
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
          known.id::text, known.login_version::text, browser.is_known AS known_browser,
          coalesce(
            (SELECT password_hash FROM own),
            (SELECT password_hash FROM ${table}
              WHERE password_hash IS NOT NULL AND login_version >= ${decoyPosition('$3')} ORDER BY login_version LIMIT 1),
            (SELECT password_hash FROM ${table} WHERE password_hash IS NOT NULL ORDER BY login_version LIMIT 1)
          ) AS password_hash
     FROM source CROSS JOIN browser LEFT JOIN account ON true LEFT JOIN known ON true`,
  )
}

/** Of a user. If the user's firm has no local passwords, the user counts as one without a password. */
export const beginLogin = loginStatement(
  'begin_login',
  'users',
  `SELECT u.id, u.password_hash, u.login_version, u.status = 'active' AND f.local_passwords AS may_log_in
       FROM users u JOIN firms f ON f.id = u.firm_id WHERE u.email_folded = $3 AND u.password_hash IS NOT NULL`,
)

/**
 * After a successful login, removes the attempt from the count of the source and deletes the count of the account or
 * browser. The source is locked first, as in `beginLogin`: otherwise two logins of one user from one source could deadlock.
 * $1 key of the source, $2 key of the account or of the browser's count
 */
export const forgiveLogin = statement(
  'forgive_login',
  Type.Object({ count: Type.Integer() }),
  `WITH source AS (UPDATE login_failures SET count = count - 1 WHERE key = $1 RETURNING key)
   DELETE FROM login_failures WHERE key = $2 AND (SELECT count(*) FROM source) >= 0
   RETURNING count`,
)

/**
 * Stores a new hash of the same password, unless the password has changed since it was verified. `login_version` stays, and
 * with it the user's sessions and known browsers. $1 user id, $2 the hash that was verified, $3 the new hash
 */
export const replaceHash = statement(
  'replace_hash',
  Type.Object({ id: Type.String() }),
  'UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2 RETURNING id',
)
