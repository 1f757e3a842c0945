import { auditRow } from '../audit/audit-row.sql.ts'
import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'
import { leadMinutes } from './lifetimes.ts'
import { SigningAlgorithm } from './signing-keys.ts'

/** $1 kid. No row: there is no such key. */
export const findKeyAlgorithm = statement(
  'find_key_algorithm',
  Type.Object({ algorithm: SigningAlgorithm }),
  'SELECT algorithm FROM signing_keys WHERE kid = $1',
)

const Removed = Type.Object({
  kid: Type.String(),
  algorithm: SigningAlgorithm,
  /** The key that was made instead. Null: another key goes on. */
  new_kid: Type.Union([Type.String(), Type.Null()]),
  new_signs_from: Type.Union([Instant, Type.Null()]),
})
export type RemovedKey = Static<typeof Removed>

/**
 * Deletes a signing key. If it was the newest one that can sign, a new key is made in its place: it signs at once if no other
 * key can, and otherwise after the lead time, because the key before signs meanwhile.
 *
 * $1 kid, $2 kid of the new key, $3 its public JWK, $4 its sealed private JWK, $5 origin. No row: there is no such key.
 */
export const deleteSigningKey = statement(
  'delete_signing_key',
  Removed,
  `WITH removed AS (
     DELETE FROM signing_keys WHERE kid = $1 RETURNING kid, algorithm, generation, private_jwk IS NOT NULL AS is_live, signs_from
   ), others AS (
     SELECT s.generation, s.signs_from FROM signing_keys s JOIN removed r USING (algorithm)
      WHERE s.kid <> r.kid AND s.private_jwk IS NOT NULL
   ), made AS (
     INSERT INTO signing_keys (kid, algorithm, generation, public_jwk, private_jwk, created_at, signs_from)
     SELECT $2, r.algorithm, r.generation + 1, $3::jsonb, $4, now(),
            now() + CASE WHEN EXISTS (SELECT FROM others) THEN interval '${leadMinutes} minutes' ELSE interval '0' END
       FROM removed r
      WHERE r.is_live AND NOT EXISTS (SELECT FROM others o WHERE o.generation > r.generation)
         ON CONFLICT (algorithm, generation) DO NOTHING
     RETURNING kid, signs_from
   ), recorded AS (
     ${auditRow('key.removed', {
       origin: '$5',
       from: 'removed r',
       target: { kind: 'signing_key', id: 'r.kid' },
       details: {
         algorithm: 'r.algorithm',
         signed_from: 'r.signs_from',
         new_key: '(SELECT kid FROM made)',
         new_key_signs_from: '(SELECT signs_from FROM made)',
       },
     })}
   )
   SELECT r.kid, r.algorithm, made.kid AS new_kid, made.signs_from AS new_signs_from FROM removed r LEFT JOIN made ON true`,
)
