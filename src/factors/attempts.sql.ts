import { statement } from '../database/database.ts'
import { counting, sourceLimit, windowMinutes } from '../login/login.sql.ts'
import Type from '../typebox.ts'

/**
 * Wrong codes of an account that are allowed in `accountHours`, from all browsers in which the user has not proved a second
 * factor before. Three of a million codes are valid at a time. An attacker who knows the password and always uses the
 * limit finds a valid code within a year with a probability of 1 in 90.
 */
const accountLimit = 10
const accountHours = 24

/** From a browser in which the user has proved a second factor before. */
const provedBrowserHours = 1

/**
 * Counts an attempt before the code is checked, so that parallel attempts cannot exceed the limit: against the source of the
 * login limits, and against the account or, in a browser with an earlier proof, against this browser. Guesses from elsewhere
 * therefore cannot lock the owner out of a browser that the owner has used before. Passkeys and recovery codes cannot be
 * guessed and count against the source only.
 *
 * $1 key of the source, $2 key of the account or of the browser's count; null: counts against the source only, $3 whether the
 * browser has an earlier proof
 */
export const countFactorAttempt = statement(
  'count_factor_attempt',
  Type.Object({
    /** Seconds until another attempt is allowed; null if this one is allowed. */
    wait: Type.Union([Type.Integer(), Type.Null()]),
  }),
  `WITH source AS (
     INSERT INTO login_failures AS f (key, count, resets_at)
     VALUES ($1, 1, now() + interval '${windowMinutes} minutes')
     ${counting}
   ), account AS (
     INSERT INTO login_failures AS f (key, count, resets_at)
     SELECT $2, 1, now() + CASE WHEN $3 THEN interval '${provedBrowserHours} hours' ELSE interval '${accountHours} hours' END
       FROM source WHERE $2::bytea IS NOT NULL AND ($3 OR count <= ${sourceLimit})
     ${counting}
   )
   SELECT ceil(extract(epoch FROM CASE WHEN NOT $3::boolean AND source.count > ${sourceLimit} THEN source.resets_at
                                       WHEN account.count > ${accountLimit} THEN account.resets_at
                                  END - now()))::int AS wait
     FROM source LEFT JOIN account ON true`,
)
