import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { listKeys } from '../keys/key-states.ts'
import { rotateSigningKey } from '../keys/keyring.ts'
import { removeSigningKey } from '../keys/remove-key.ts'
import type { SigningKeyRow } from '../keys/signing-keys.sql.ts'
import { signingAlgorithms } from '../keys/signing-keys.ts'
import { notFound, ok } from '../management/answers.ts'
import { adminRoute } from './admin-edge.ts'
import { listKeysRoute, removeKeyRoute, rotateKeysRoute } from './keys.operations.ts'

/** Signing keys, with the use cases of `latchkey key`. */
export function keyRoutes(app: FastifyInstance, context: Context): void {
  const { keys, keyring, now } = context
  adminRoute(app, context, listKeysRoute, async ({ database }) =>
    ok({ data: await listKeys(database, now()) }),
  )

  adminRoute(app, context, rotateKeysRoute, async ({ request: { body }, origin, database }) => {
    const made: SigningKeyRow[] = []
    for (const algorithm of body.algorithm ? [body.algorithm] : signingAlgorithms) {
      made.push(await rotateSigningKey(database, origin, keys, algorithm))
    }
    await keyring.reload()
    return ok({ data: made.map(({ kid, algorithm, signs_from }) => ({ kid, algorithm, signs_from })) })
  })

  adminRoute(app, context, removeKeyRoute, async ({ request: { params }, origin, database }) => {
    const removed = await removeSigningKey(database, origin, keys, params.kid)
    if (!removed) return notFound('There is no signing key with this kid.')
    await keyring.reload()
    return ok(removed)
  })
}
