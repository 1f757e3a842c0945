import { keyStates } from '../keys/key-states.ts'
import { signingAlgorithms } from '../keys/signing-keys.ts'
import { jsonResponse } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import { instant, nullableInstant, nullableText, oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'

const algorithm = oneOf(signingAlgorithms, 'The algorithm.')
const kid = Type.String({ description: 'The key id, as in the JWKS.' })

const key = {
  kid,
  algorithm,
  signs_from: instant('From when on the key signs.'),
}

const SigningKey = Type.Object(
  {
    ...key,
    state: oneOf(
      keyStates,
      '`waiting`: published, and does not sign yet. `published`: no longer signs. `retired`: no longer in the JWKS.',
    ),
    created_at: instant('When the key was made.'),
  },
  { $id: 'SigningKey', description: 'A key that signs id_tokens.' },
)

const SigningKeyList = Type.Object(
  { data: Type.Array(SigningKey, { description: 'The keys of each algorithm, oldest first.' }) },
  { $id: 'SigningKeyList', description: 'All signing keys.' },
)

const NewKeyList = Type.Object(
  {
    data: Type.Array(
      Type.Object(key, { $id: 'NewSigningKey', description: 'A signing key that was just made.' }),
      { description: 'The newest key of each algorithm.' },
    ),
  },
  { $id: 'NewSigningKeyList', description: 'New signing keys.' },
)

const RemovedKey = Type.Object(
  {
    kid,
    algorithm,
    new_kid: nullableText('The key that was made in its place. Null: another key goes on.'),
    new_signs_from: nullableInstant('From when on the new key signs.'),
  },
  { $id: 'RemovedSigningKey', description: 'A signing key that was removed.' },
)

const tag = 'Keys' as const

export const listKeysRoute = describeRoute({
  method: 'GET',
  url: '/keys',
  scope: 'keys:read',
  operation: {
    operationId: 'listKeys',
    tag,
    summary: 'List the signing keys',
    description: 'All keys and their states. Never private keys.',
    responses: { 200: jsonResponse(SigningKeyList, 'The keys.') },
  },
})

export const rotateKeysRoute = describeRoute({
  method: 'POST',
  url: '/keys',
  scope: 'keys:write',
  schema: {
    body: closed(
      { algorithm: Type.Optional(oneOf(signingAlgorithms, 'Only for this algorithm. Absent: for each.')) },
      { $id: 'KeyRotation', description: 'Which keys get a successor.' },
    ),
  },
  operation: {
    operationId: 'rotateKeys',
    tag,
    summary: 'Make the next signing key',
    description: 'It is published at once, and signs after every partner has had time to read it.',
    responses: { 200: jsonResponse(NewKeyList, 'The new keys.') },
  },
})

export const removeKeyRoute = describeRoute({
  method: 'DELETE',
  url: '/keys/:kid',
  scope: 'keys:write',
  schema: { params: Type.Object({ kid: Type.String({ description: 'The `kid` of a key.' }) }) },
  operation: {
    operationId: 'removeKey',
    tag,
    summary: 'Remove a signing key that leaked',
    description:
      'Every server takes it out of the JWKS within 5 seconds. If no newer key can sign, a new one is made. A partner that keeps the JWKS in a cache accepts the key for up to 5 minutes more.',
    responses: { 200: jsonResponse(RemovedKey, 'The removed key.') },
    problems: [404],
  },
})
