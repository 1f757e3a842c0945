import { describeRoute } from '../admin/admin-edge.ts'
import { jsonResponse } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import Type from '../typebox.ts'
import {
  type CredentialName,
  credentialNames,
  type LeakedCredential,
  mostCredentials,
} from './leaked-credentials.ts'

/** Bytes of one report. */
const maxReport = 1024 * 1024

const LeakReport = closed(
  {
    text: Type.String({
      minLength: 1,
      maxLength: maxReport,
      description: `What was found: a log, a file, a list of tokens. The first ${mostCredentials} credentials in it are looked at.`,
    }),
    source: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '^[^\\u0000-\\u001f\\u007f]+$',
        description: 'Where it was found, for the audit log. Never a credential.',
      }),
    ),
  },
  { $id: 'LeakReport', description: 'Credentials that leaked, with anything around them.' },
)

const Credential = Type.Object(
  {
    hint: Type.String({ description: 'The first and last characters of the credential.' }),
    credential: Type.Unsafe<CredentialName>({
      type: 'string',
      enum: Object.values(credentialNames),
      description: 'What it is.',
    }),
    state: Type.Unsafe<LeakedCredential['state']>({
      type: 'string',
      enum: ['revoked', 'not_live', 'unknown', 'other_environment'],
      description:
        '`revoked`: it worked until now. `not_live`: it had ended before. `unknown`: it was never issued here, or was deleted long ago. `other_environment`: report it to the other deployment.',
    }),
    client_id: Type.Optional(Type.String({ description: 'The partner whose credential it is.' })),
    user_id: Type.Optional(Type.String({ description: 'The user whose data it opened.' })),
    api_key_id: Type.Optional(Type.String({ description: 'The `id` of the API key.' })),
    developer_key_id: Type.Optional(Type.String({ description: 'The `id` of the developer key.' })),
    live_secrets: Type.Optional(
      Type.Integer({
        description:
          'For a client secret: how many the partner has left. At 0, the partner cannot authenticate until you give it a new one.',
      }),
    ),
  },
  { $id: 'LeakedCredential', description: 'What became of a credential.' },
)

export const reportLeakedCredentials = describeRoute({
  method: 'POST',
  url: '/leaked-credentials',
  scope: 'incidents:write',
  schema: { body: LeakReport },
  bodyLimit: maxReport * 2,
  operation: {
    operationId: 'reportLeakedCredentials',
    tag: 'Incidents',
    summary: 'Revoke leaked credentials',
    description:
      'Finds access tokens, refresh tokens, codes, client secrets, API keys and developer keys in a text by their prefix and checksum, and ends each that works, at once. The text is not stored.',
    responses: {
      200: jsonResponse(
        Type.Object(
          { data: Type.Array(Credential, { description: 'The credentials in the order of the text.' }) },
          { $id: 'LeakedCredentials', description: 'What became of each credential.' },
        ),
        'What became of each credential.',
      ),
    },
  },
})
