import { Instant, statement } from '../database/database.ts'
import { userRecord } from '../directory/user-record.sql.ts'
import { mailRow } from '../outbox/mail-row.sql.ts'
import Type, { type Static } from '../typebox.ts'
import { deleteCodesOfLastFactor } from './recovery-codes.sql.ts'

/** Passkeys that a user may have. */
const maxPasskeys = 20

/** Who a new passkey is for. $1 user id */
export const findPasskeyOwner = statement(
  'find_passkey_owner',
  Type.Object({ passkey_handle: Type.String(), email: Type.String(), name: Type.String() }),
  'SELECT passkey_handle, email, name FROM users WHERE id = $1',
)

export const ListedPasskey = Type.Object({
  id: Type.String(),
  credential_id: Type.String(),
  transports: Type.Array(Type.String()),
  name: Type.String(),
  synced: Type.Boolean(),
  created_at: Instant,
  last_used_at: Type.Union([Instant, Type.Null()]),
})
export type ListedPasskey = Static<typeof ListedPasskey>

/** $1 user id */
export const passkeysOfUser = statement(
  'passkeys_of_user',
  ListedPasskey,
  `SELECT id, credential_id, transports, name, synced, created_at, last_used_at
     FROM passkeys WHERE user_id = $1 ORDER BY id`,
)

export const StoredPasskey = Type.Object({
  credential_id: Type.String(),
  public_key: Type.String(),
  user_id: Type.String(),
  passkey_handle: Type.String(),
  email: Type.String(),
})
export type StoredPasskey = Static<typeof StoredPasskey>

/** $1 credential id */
export const findPasskey = statement(
  'find_passkey',
  StoredPasskey,
  `SELECT k.credential_id, k.public_key, k.user_id, u.passkey_handle, u.email
     FROM passkeys k JOIN users u ON u.id = k.user_id WHERE k.credential_id = $1`,
)

/**
 * Records that a passkey answered a challenge. The challenge counts once, and the counter must grow: it is compared in the
 * locked row, so that of two answers at the same time the second sees the first. A passkey without a counter always sends 0
 * (WebAuthn section 6.1.1). The same statement finds the user, who must be active. A user of a firm without local passwords
 * logs in at the firm's provider: a passkey is only a second factor for this user.
 *
 * $1 credential id, $2 SHA-256 of the challenge, $3 when the challenge expires, $4 counter, $5 whether the key is backed up,
 * $6 whether the passkey is the only factor
 */
export const usePasskey = statement(
  'use_passkey',
  Type.Object({
    /** False: the challenge was answered before. */
    is_first_answer: Type.Boolean(),
    /** Null: the counter did not grow, the passkey or its user is gone, or a passkey alone is not enough for this user. */
    user_id: Type.Union([Type.String(), Type.Null()]),
    login_version: Type.Union([Type.String(), Type.Null()]),
  }),
  `WITH answered AS (
     INSERT INTO used_challenges (hash, expires_at) VALUES ($2, $3) ON CONFLICT DO NOTHING RETURNING 1
   ), used AS (
     UPDATE passkeys k SET counter = $4, backed_up = $5, last_used_at = now()
       FROM users u JOIN firms f ON f.id = u.firm_id
      WHERE k.credential_id = $1 AND u.id = k.user_id AND u.status = 'active' AND EXISTS (SELECT FROM answered)
        AND (f.local_passwords OR NOT $6)
        AND (k.counter < $4 OR k.counter = 0 AND $4 = 0)
     RETURNING u.id, u.login_version
   )
   SELECT EXISTS (SELECT FROM answered) AS is_first_answer, used.id AS user_id, used.login_version
     FROM (SELECT) AS always LEFT JOIN used ON true`,
)

/**
 * Stores a passkey. No row: the challenge was answered before, the credential is registered already, the user has too many,
 * or is no longer active. $1 user id, $2 SHA-256 of the challenge, $3 when it expires, $4 credential id, $5 public key,
 * $6 counter, $7 transports, $8 whether it may leave its device, $9 whether it is backed up, $10 name, $11 whether the user
 * gets a mail, $12 origin
 */
export const insertPasskey = statement(
  'insert_passkey',
  Type.Object({ user_id: Type.String() }),
  `WITH answered AS (
     INSERT INTO used_challenges (hash, expires_at) VALUES ($2, $3) ON CONFLICT DO NOTHING RETURNING 1
   ), stored AS (
     INSERT INTO passkeys (credential_id, user_id, public_key, counter, transports, synced, backed_up, name)
     SELECT $4, u.id, $5, $6, $7, $8, $9, $10
       FROM users u, answered
      WHERE u.id = $1 AND u.status = 'active'
        AND (SELECT count(*) FROM passkeys k WHERE k.user_id = u.id) < ${maxPasskeys}
     ON CONFLICT DO NOTHING
     RETURNING id, user_id, name
   ), mail AS (
     ${mailRow('factors_changed', {
       from: 'stored JOIN users u ON u.id = stored.user_id WHERE $11::boolean',
       facts: { change: `'passkey_added'`, at: 'now()' },
     })}
   ), recorded AS (
     ${userRecord('user.factor_added', {
       origin: '$12',
       user: 'u',
       from: 'stored JOIN users u ON u.id = user_id',
       details: { method: `'passkey'`, passkey: 'stored.id', name: 'stored.name' },
     })}
   )
   SELECT user_id FROM stored`,
)

/**
 * With the last factor, the recovery codes go. $1 user id, $2 `id` of the passkey, $3 whether the user gets a mail, $4 origin.
 * No row: the user has no such passkey.
 */
export const deletePasskey = statement(
  'delete_passkey',
  Type.Object({ id: Type.String() }),
  `WITH removed AS (
     DELETE FROM passkeys WHERE user_id = $1 AND id = $2 RETURNING id, user_id, name
   ), codes AS (
     ${deleteCodesOfLastFactor('SELECT FROM removed', 'k.id <> $2', 'true')}
   ), mail AS (
     ${mailRow('factors_changed', {
       from: 'removed, users u WHERE u.id = $1 AND $3::boolean',
       facts: { change: `'passkey_removed'`, at: 'now()' },
     })}
   ), recorded AS (
     ${userRecord('user.factor_removed', {
       origin: '$4',
       user: 'u',
       from: 'removed JOIN users u ON u.id = user_id',
       details: { method: `'passkey'`, passkey: 'removed.id', name: 'removed.name' },
     })}
   )
   SELECT id FROM removed`,
)
