import Type from 'typebox'
import { statement } from '../database/database.ts'

/** Minutes in which failures are counted, from the first. */
const windowMinutes = 15

/**
 * Counts an attempt against account and source before the password is looked at, so that parallel guesses cannot pass
 * the limit between them, and finds the user.
 * $1 key of the account, $2 key of the source, $3 folded email address
 */
export const beginLogin = statement(
  'begin_login',
  Type.Object({
    account_count: Type.Integer(),
    source_count: Type.Integer(),
    /** Seconds until both may be tried again. */
    wait: Type.Integer(),
    user_id: Type.Union([Type.String(), Type.Null()]),
    password_hash: Type.Union([Type.String(), Type.Null()]),
  }),
  `WITH counted AS (
     INSERT INTO login_failures AS f (key, count, resets_at)
     VALUES ($1, 1, now() + interval '${windowMinutes} minutes'), ($2, 1, now() + interval '${windowMinutes} minutes')
     ON CONFLICT (key) DO UPDATE SET
       count = CASE WHEN f.resets_at > now() THEN f.count + 1 ELSE 1 END,
       resets_at = CASE WHEN f.resets_at > now() THEN f.resets_at ELSE excluded.resets_at END
     RETURNING key, count, resets_at
   )
   SELECT account.count AS account_count, source.count AS source_count,
          ceil(extract(epoch FROM greatest(account.resets_at, source.resets_at) - now()))::int AS wait,
          u.id AS user_id, u.password_hash
     FROM counted account
     JOIN counted source ON account.key = $1 AND source.key = $2
     LEFT JOIN users u ON u.email_folded = $3 AND u.status = 'active'`,
)

/**
 * A success clears the account and takes its own attempt back from the source. The account first, as above: locked in
 * the other order, two logins of one user from one place would wait for each other.
 * $1 account key, $2 source key
 */
export const forgiveLogin = statement(
  'forgive_login',
  Type.Object({ key: Type.Unsafe<Buffer>({}) }),
  `WITH account AS (DELETE FROM login_failures WHERE key = $1 RETURNING key)
   UPDATE login_failures SET count = count - 1
    WHERE key = $2 AND (SELECT count(*) FROM account) >= 0
   RETURNING key`,
)
