import { auditRow } from '../audit/audit-row.sql.ts'
import { Instant, statement } from '../database/database.ts'
import Type, { type Static } from '../typebox.ts'
import { leadMinutes, retirementHours, rotationDays } from './lifetimes.ts'
import { PublicJwk, SigningAlgorithm } from './signing-keys.ts'

const Row = Type.Object({
  kid: Type.String(),
  algorithm: SigningAlgorithm,
  generation: Type.Integer(),
  public_jwk: PublicJwk,
  /** Encrypted; null if the key is retired. */
  private_jwk: Type.Union([Type.String(), Type.Null()]),
  created_at: Instant,
  signs_from: Instant,
  /** Whether the key is old enough to need a successor, or retired: it has none if the newer keys were removed. */
  aged: Type.Boolean(),
})
export type SigningKeyRow = Static<typeof Row>

/** All keys, including retired ones. The keys of each algorithm are ordered from oldest to newest. */
export const listSigningKeys = statement(
  'list_signing_keys',
  Row,
  `SELECT kid, algorithm, generation, public_jwk, private_jwk, created_at, signs_from,
          private_jwk IS NULL OR created_at <= now() - interval '${rotationDays} days' AS aged
     FROM signing_keys ORDER BY algorithm, generation`,
)

/** The kids of the keys that are not retired, in a fixed order. */
export const listLiveKids = statement(
  'list_live_kids',
  Type.Object({ kids: Type.Array(Type.String()) }),
  'SELECT ARRAY(SELECT kid FROM signing_keys WHERE private_jwk IS NOT NULL ORDER BY kid) AS kids',
)

/**
 * Inserts a key. If several servers insert the same generation, one of them gets a row and the others get none. The first
 * key of an algorithm signs at once, because there is no other.
 *
 * $1 kid, $2 algorithm, $3 generation, $4 public JWK, $5 sealed private JWK, $6 origin
 */
export const insertSigningKey = statement(
  'insert_signing_key',
  Type.Object({ kid: Type.String() }),
  `WITH created AS (
     INSERT INTO signing_keys (kid, algorithm, generation, public_jwk, private_jwk, created_at, signs_from)
     VALUES ($1, $2, $3, $4::jsonb, $5, now(),
             now() + CASE WHEN $3 = 1 THEN interval '0' ELSE interval '${leadMinutes} minutes' END)
     ON CONFLICT (algorithm, generation) DO NOTHING
     RETURNING kid, algorithm, generation, signs_from
   ), recorded AS (
     ${auditRow('key.rotated', {
       origin: '$6',
       from: 'created k',
       target: { kind: 'signing_key', id: 'k.kid' },
       details: { algorithm: 'k.algorithm', generation: 'k.generation', signs_from: 'k.signs_from' },
     })}
   )
   SELECT kid FROM created`,
)

/** Deletes the private keys whose successor has been signing for `retirementHours`. */
export const retireSigningKeys = statement(
  'retire_signing_keys',
  Type.Object({ kid: Type.String() }),
  `UPDATE signing_keys k SET private_jwk = NULL
    WHERE private_jwk IS NOT NULL
      AND EXISTS (SELECT FROM signing_keys s WHERE s.algorithm = k.algorithm AND s.generation > k.generation
                     AND s.signs_from <= now() - interval '${retirementHours} hours')
   RETURNING kid`,
)

/**
 * Replaces the encrypted private key, unless another server has replaced or retired it since it was read.
 * $1 kid, $2 the private key as it was read, $3 the same one encrypted with another key
 */
export const resealSigningKey = statement(
  'reseal_signing_key',
  Type.Object({ kid: Type.String() }),
  'UPDATE signing_keys SET private_jwk = $3 WHERE kid = $1 AND private_jwk = $2 RETURNING kid',
)
