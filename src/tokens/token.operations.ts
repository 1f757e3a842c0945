import { exampleClient, exampleSubject, exampleTokens } from '../http/openapi/examples.ts'
import { json, type Operation } from '../http/openapi/operation.ts'
import { tokenErrors } from '../http/openapi/responses.ts'
import Type, { type TObject } from '../typebox.ts'

// The token endpoints in the OpenAPI document. The handlers read the bodies themselves (client-request.ts): they log why
// a request was refused, and answer with the errors of RFC 6749.

const clientFields = {
  client_id: Type.Optional(
    Type.String({
      description: 'The `client_id` of the partner, unless it is in the `Authorization` header.',
    }),
  ),
  client_secret: Type.Optional(
    Type.String({ description: 'The `client_secret`, unless it is in the `Authorization` header.' }),
  ),
  client_assertion_type: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: ['urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
      description: 'With `client_assertion`.',
    }),
  ),
  client_assertion: Type.Optional(
    Type.String({ description: 'A signed JWT instead of a secret (`private_key_jwt`, RFC 7523).' }),
  ),
}

const TokenRequest = Type.Object(
  {
    grant_type: Type.Unsafe<string>({
      type: 'string',
      enum: ['authorization_code', 'refresh_token'],
      description: 'What is exchanged for tokens.',
    }),
    code: Type.Optional(
      Type.String({
        description:
          'With `authorization_code`: the code from the redirect. It is valid for 60 seconds and once.',
      }),
    ),
    redirect_uri: Type.Optional(
      Type.String({ description: 'If sent, it must equal the one of the authorization request.' }),
    ),
    code_verifier: Type.Optional(
      Type.String({
        description: 'Required if the authorization request had a `code_challenge` (PKCE, RFC 7636).',
      }),
    ),
    refresh_token: Type.Optional(
      Type.String({ description: 'With `refresh_token`: the newest refresh token of the connection.' }),
    ),
    token_type: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: ['id'],
        description: 'With `refresh_token`: the answer also has an `id_token`.',
      }),
    ),
    ...clientFields,
  },
  { $id: 'TokenRequest', description: 'A code or a refresh token, with the credentials of the partner.' },
)

const TokenResponse = Type.Object(
  {
    access_token: Type.String({ description: 'Send it as `Authorization: Bearer`.' }),
    token_type: Type.Unsafe<string>({
      type: 'string',
      enum: ['Bearer'],
      description: 'How the access token is sent.',
    }),
    expires_in: Type.Integer({ description: 'Seconds for which the access token is valid: 3600.' }),
    refresh_token: Type.String({
      description:
        'Replaces the previous refresh token. Valid for 30 days. Keep it before you use the access token.',
    }),
    scope: Type.Unsafe<string>({ type: 'string', enum: ['openid'], description: 'What was granted.' }),
    id_token: Type.Optional(
      Type.String({ description: 'A signed JWT about the login (OpenID Connect Core section 2).' }),
    ),
  },
  { $id: 'TokenResponse', description: 'New tokens (RFC 6749 section 5.1).' },
)

const tokenFields = {
  token: Type.String({ description: 'An access token or a refresh token of this partner.' }),
  token_type_hint: Type.Optional(
    Type.String({ description: 'Ignored: the text of a token says what it is.' }),
  ),
}

const RevocationRequest = Type.Object(
  { ...tokenFields, ...clientFields },
  { $id: 'RevocationRequest', description: 'A token to revoke (RFC 7009 section 2.1).' },
)

const IntrospectionRequest = Type.Object(
  { ...tokenFields, ...clientFields },
  { $id: 'IntrospectionRequest', description: 'A token to inspect (RFC 7662 section 2.1).' },
)

const IntrospectionResponse = Type.Object(
  {
    active: Type.Boolean({
      description: 'Whether the token would be accepted now. If it is false, there are no other fields.',
    }),
    scope: Type.Optional(Type.String({ description: 'What was granted: `openid`.' })),
    client_id: Type.Optional(Type.String({ description: 'The partner to which the token was issued.' })),
    sub: Type.Optional(Type.String({ description: 'The user, as in `UserInfo`.' })),
    token_type: Type.Optional(Type.String({ description: '`Bearer`, with an access token.' })),
    exp: Type.Optional(Type.Integer({ format: 'int64', description: 'Expiry, in seconds since 1970.' })),
    iat: Type.Optional(Type.Integer({ format: 'int64', description: 'Issue, in seconds since 1970.' })),
    iss: Type.Optional(Type.String({ description: 'The issuer: `{auth_url}`.' })),
    acr: Type.Optional(
      Type.String({ description: 'How the user logged in, as in the `id_token` (RFC 9470 section 6).' }),
    ),
    auth_time: Type.Optional(
      Type.Integer({ format: 'int64', description: 'When the user logged in, in seconds since 1970.' }),
    ),
  },
  { $id: 'IntrospectionResponse', description: 'The state of a token (RFC 7662 section 2.2).' },
)

/** A JSON object without fields. */
const Revoked = Type.Object({}, { $id: 'Revoked', description: 'An empty object.' })

/** JSON is first, because openapi-generator generates only the first, and its clients always send JSON if it is listed. */
const mediaTypes = ['application/json', 'application/x-www-form-urlencoded']
function clientOperation(
  operation: Pick<Operation, 'operationId' | 'summary' | 'description' | 'responses'>,
  schema: TObject,
  body: { description: string; examples: NonNullable<Operation['body']>['examples'] & object },
): Operation {
  return {
    ...operation,
    tag: 'Tokens',
    authentication: 'client',
    body: { ...body, schema, required: true, mediaTypes },
    responses: { ...tokenErrors, ...operation.responses },
  }
}

export const requestToken = clientOperation(
  {
    operationId: 'requestToken',
    summary: 'Exchange a code or a refresh token for new tokens',
    description:
      'After the redirect, send the code. When the access token has expired, send the refresh token. If the answer to a refresh is lost, send the same refresh token again within a minute: the answer has the same refresh token.',
    responses: {
      200: json(TokenResponse, 'New tokens.', {
        examples: {
          tokens: {
            summary: 'The answer to a refresh',
            value: {
              access_token: exampleTokens.access,
              token_type: 'Bearer',
              expires_in: 3600,
              refresh_token: exampleTokens.refresh,
              scope: 'openid',
            },
          },
        },
      }),
    },
  },
  TokenRequest,
  {
    description: 'The code or the refresh token.',
    examples: {
      authorization_code: {
        summary: 'Exchange a code',
        value: { grant_type: 'authorization_code', code: exampleTokens.code, ...exampleClient },
      },
      refresh_token: {
        summary: 'Refresh',
        value: { grant_type: 'refresh_token', refresh_token: exampleTokens.refresh, ...exampleClient },
      },
    },
  },
)

export const revokeToken = clientOperation(
  {
    operationId: 'revokeToken',
    summary: 'Revoke a token',
    description:
      'A refresh token ends its connection, with all its tokens. An access token ends all access tokens of its connection. A token that is unknown or already revoked is no error (RFC 7009).',
    responses: {
      200: json(Revoked, 'The token is not valid, or no longer valid.', {
        examples: { revoked: { summary: 'Done', value: {} } },
      }),
    },
  },
  RevocationRequest,
  {
    description: 'The token to revoke.',
    examples: {
      refresh_token: {
        summary: 'End a connection',
        value: { token: exampleTokens.refresh, ...exampleClient },
      },
    },
  },
)

export const introspectToken = clientOperation(
  {
    operationId: 'introspectToken',
    summary: 'Inspect a token',
    description:
      'Says whether a token of this partner would be accepted now. A token of another partner is not active. Nothing changes (RFC 7662).',
    responses: {
      200: json(IntrospectionResponse, 'The state of the token.', {
        examples: {
          active: {
            summary: 'An access token that is valid',
            value: {
              active: true,
              scope: 'openid',
              client_id: exampleClient.client_id,
              sub: exampleSubject,
              token_type: 'Bearer',
              exp: 1_795_233_600,
              iat: 1_795_230_000,
              iss: '{auth_url}',
              acr: 'urn:latchkey:acr:password',
              auth_time: 1_795_229_940,
            },
          },
          inactive: { summary: 'Any other token', value: { active: false } },
        },
      }),
    },
  },
  IntrospectionRequest,
  {
    description: 'The token to inspect.',
    examples: {
      access_token: {
        summary: 'Inspect an access token',
        value: { token: exampleTokens.access, ...exampleClient },
      },
    },
  },
)
