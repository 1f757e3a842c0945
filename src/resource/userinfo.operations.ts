import { exampleSubject } from '../http/openapi/examples.ts'
import { hintHeaders } from '../http/openapi/headers.ts'
import { json, type Operation, withHeaders } from '../http/openapi/operation.ts'
import { apiProblems, bodyProblems } from '../http/openapi/responses.ts'
import Type from '../typebox.ts'

const UserInfo = Type.Object(
  {
    sub: Type.String({
      description:
        'Identifier of the user. It is the same in every `id_token`, and differs between partners.',
    }),
  },
  {
    $id: 'UserInfo',
    description: 'The user who connected your application (OpenID Connect Core section 5.3.2).',
  },
)

const AccessTokenForm = Type.Object(
  {
    access_token: Type.Optional(
      Type.String({ description: 'The access token, if it is not in the header.' }),
    ),
  },
  { $id: 'AccessTokenForm', description: 'RFC 6750 section 2.2.' },
)

const userInfo = json(UserInfo, 'The user.', {
  headers: hintHeaders,
  examples: { user: { summary: 'A user', value: { sub: exampleSubject } } },
})

export const getUserInfo: Operation = {
  operationId: 'getUserInfo',
  tag: 'User',
  summary: 'Get the identifier of the user',
  description:
    'The UserInfo endpoint of OpenID Connect. The answer has only `sub`, because `openid` is the only scope.',
  authentication: 'accessToken',
  responses: { ...apiProblems, 200: userInfo },
}

export const postUserInfo: Operation = {
  ...getUserInfo,
  operationId: 'postUserInfo',
  summary: 'Get the identifier of the user, with POST',
  description:
    'The same as `getUserInfo`, for clients that send the access token in a form (OpenID Connect Core section 5.3.1).',
  body: {
    description: 'The access token, if it is not in the `Authorization` header.',
    required: false,
    mediaTypes: ['application/x-www-form-urlencoded'],
    schema: AccessTokenForm,
  },
  responses: {
    ...apiProblems,
    ...bodyProblems,
    ...withHeaders({ 400: apiProblems[400] }, ['WWW-Authenticate']),
    200: userInfo,
  },
}
