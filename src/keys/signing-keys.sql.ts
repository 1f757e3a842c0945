import Type, { type Static } from 'typebox'
import { Instant, statement } from '../database/database.ts'
import { leadMinutes, retirementHours, rotationDays } from './lifetimes.ts'
import { PublicJwk, SigningAlgorithm } from './signing-keys.ts'

const Row = Type.Object({
  kid: Type.String(),
  algorithm: SigningAlgorithm,
  generation: Type.Integer(),
  public_jwk: PublicJwk,
  /** Absent once the key is retired. */
  private_jwk: Type.Union([Type.String(), Type.Null()]),
  created_at: Instant,
  signs_from: Instant,
  aged: Type.Boolean(),
})
export type SigningKeyRow = Static<typeof Row>

/** Every key there ever was, of each algorithm the newest last. `aged` ones are due for a successor. */
export const listSigningKeys = statement(
  'list_signing_keys',
  Row,
  `SELECT kid, algorithm, generation, public_jwk, private_jwk, created_at, signs_from,
          created_at <= now() - interval '${rotationDays} days' AS aged
     FROM signing_keys ORDER BY algorithm, generation`,
)

/**
 * Of several servers that insert the same generation one is given a row, and the others none. The first key signs at
 * once, for there is no other.
 *
 * $1 kid, $2 algorithm, $3 generation, $4 public JWK, $5 sealed private JWK
 */
export const insertSigningKey = statement(
  'insert_signing_key',
  Type.Object({ kid: Type.String() }),
  `INSERT INTO signing_keys (kid, algorithm, generation, public_jwk, private_jwk, created_at, signs_from)
   VALUES ($1, $2, $3, $4::jsonb, $5, now(),
           now() + CASE WHEN $3 = 1 THEN interval '0' ELSE interval '${leadMinutes} minutes' END)
   ON CONFLICT (algorithm, generation) DO NOTHING
   RETURNING kid`,
)

/** Ends the keys whose successor has been signing for a day. */
export const retireSigningKeys = statement(
  'retire_signing_keys',
  Type.Object({ kid: Type.String() }),
  `UPDATE signing_keys k SET private_jwk = NULL
    WHERE private_jwk IS NOT NULL
      AND EXISTS (SELECT FROM signing_keys s WHERE s.algorithm = k.algorithm AND s.generation > k.generation
                     AND s.signs_from <= now() - interval '${retirementHours} hours')
   RETURNING kid`,
)
