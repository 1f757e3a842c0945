/**
 * The catalogue of refusals. Each reason is the `outcome` of a log line and has one description for the client. `{detail}`
 * is replaced by the part that differs between requests. RFC 6749 section 5.2 and RFC 6750 section 3 limit a description to
 * printable ASCII characters without quotation mark and backslash.
 */

/** Why a connection has ended. The token endpoint and the API give the same reasons. */
const endings = {
  ended_by_user: 'The user has disconnected this application. Ask the user to connect again.',
  ended_by_operator: 'The operator of this service has ended the connection. Ask the user to connect again.',
  ended_by_firm_change:
    'The user moved to another firm, which ended the connection. Ask the user to connect again.',
  ended_by_partner: 'The connection has been revoked by this application. Ask the user to connect again.',
  ended_by_code_replay: 'Authorization code reuse detected. The connection has been revoked.',
  ended_by_code_misuse:
    'The authorization code was sent with a wrong redirect_uri or code_verifier. The connection has been revoked.',
  ended_by_refresh_replay: 'Refresh token reuse detected. The connection has been revoked.',
  /** For a connection that ended before the database recorded who ended a connection. */
  ended: 'The connection has ended. Ask the user to connect again.',
  user_disabled: 'The user is disabled.',
} as const

/** The reasons of the token endpoints, by error code (RFC 6749 section 5.2). */
const tokenDescriptions = {
  invalid_request: {
    secret_in_query: '{detail} was sent in the query string, which servers log. Send it in the request body.',
    unreadable_body: 'Every parameter must be a string without the character NUL.',
    repeated_parameter: '{detail} was sent more than once.',
    no_grant_type: 'grant_type is missing. Send authorization_code or refresh_token.',
    no_code: 'code is missing.',
    no_refresh_token: 'refresh_token is missing.',
    no_token: 'token is missing.',
    token_type: 'The only supported token_type is id.',
    no_client_id: 'client_id is missing.',
    no_assertion: 'client_assertion is missing.',
    no_assertion_type: 'client_assertion_type is missing.',
    authenticated_twice:
      'The client authenticated twice. Send one credential, in the Authorization header or in the request body.',
    two_clients: 'client_id in the request body differs from the client of the {detail}.',
  },
  unsupported_grant_type: {
    grant_type: 'Unsupported grant_type. Send authorization_code or refresh_token.',
  },
  unauthorized_client: {
    suspended_client: 'This client is suspended. Contact the operator of this service.',
  },
  invalid_client: {
    /** An unknown client, a wrong secret and a wrong key get the same answer, so that an attacker learns nothing. */
    unknown_client: 'Invalid client credentials.',
    assertion_unverified: 'Invalid client credentials.',
    no_client_secret:
      'client_secret is missing. A client registered for private_key_jwt sends client_assertion.',
    basic_malformed: 'Malformed Basic credentials in the Authorization header (RFC 6749, section 2.3.1).',
    client_wrong_environment: 'This client_id belongs to {detail}.',
    secret_malformed: '{detail} A client registered for private_key_jwt sends client_assertion.',
    secret_wrong_kind: '{detail} A client registered for private_key_jwt sends client_assertion.',
    secret_wrong_environment: '{detail}',
    wrong_method: 'This client is not registered for {detail}.',
    assertion_required:
      'This client is registered for private_key_jwt. Send client_assertion instead of a secret.',
    assertion_used: 'client_assertion was used before or has expired. Sign a new one for each request.',
    assertion_type: 'client_assertion_type must be {detail}.',
    assertion_malformed: 'client_assertion is not a signed JWT with alg and sub.',
    assertion_algorithm: 'client_assertion: alg must be one of {detail}.',
    assertion_wrong_environment: 'client_assertion: the client belongs to {detail}.',
    assertion_iss: 'client_assertion: iss and sub must both be the client_id.',
    assertion_aud: 'client_assertion: aud must be {detail}.',
    assertion_exp: 'client_assertion: exp must be a time in the next {detail} seconds.',
    assertion_nbf: 'client_assertion: nbf must be a number and not in the future.',
    assertion_iat: 'client_assertion: iat must be a number and not in the future.',
    assertion_jti: 'client_assertion: jti must be text of 1 to 256 characters and new in each request.',
    assertion_claim: 'client_assertion: a claim is not valid.',
  },
  invalid_grant: {
    code_malformed: '{detail}',
    code_wrong_kind: '{detail}',
    code_wrong_environment: '{detail}',
    unknown_code: 'Unknown or expired authorization code, or it was issued to another client.',
    code_expired: 'Expired authorization code. A code is valid for {detail} seconds.',
    code_replayed: 'Authorization code reuse detected. Every token issued for it has been revoked.',
    redirect_uri_mismatch: 'redirect_uri differs from the one in the authorization request.',
    code_verifier_missing: 'code_verifier is missing. The authorization request had a code_challenge.',
    code_verifier_unexpected: 'code_verifier was sent, but the authorization request had no code_challenge.',
    code_verifier_mismatch: 'code_verifier does not match the code_challenge of the authorization request.',
    refresh_token_malformed: '{detail}',
    refresh_token_wrong_kind: '{detail}',
    refresh_token_wrong_environment: '{detail}',
    refresh_token_forged: 'Invalid refresh token. It was altered or not issued by this service.',
    refresh_token_unknown_key:
      'Invalid refresh token. This service no longer accepts the key that signed it. Ask the user to connect again.',
    /** The database is older than the token, because a backup was restored. */
    refresh_token_ahead:
      'Refresh token is newer than the data of this service, which was restored from a backup. Ask the user to connect again.',
    unknown_refresh_token: 'Unknown or expired refresh token, or it was issued to another client.',
    refresh_token_expired: 'Expired refresh token. A refresh token is valid for {detail} days.',
    refresh_replayed: 'Refresh token reuse detected. The connection has been revoked.',
    ...endings,
  },
} as const

/** The reasons of the API, by error code (RFC 6750 section 3.1). A request without credentials gets no error code. */
const bearerDescriptions = {
  none: {
    missing: 'Access token is missing. Send it as Authorization: Bearer <token>.',
  },
  invalid_request: {
    ambiguous: 'More than one access token was sent. Send one, in the Authorization header or in the body.',
  },
  invalid_token: {
    malformed_header: 'Malformed Authorization header. Send Authorization: Bearer <token>.',
    malformed: '{detail}',
    wrong_kind: '{detail}',
    wrong_environment: '{detail}',
    forged: 'Invalid access token. It was altered or not issued by this service.',
    unknown_key:
      'Invalid access token. This service no longer accepts the key that signed it. Get a new one with the refresh token.',
    unknown: 'Unknown or expired access token.',
    expired: 'Expired access token. Get a new one with the refresh token.',
    token_revoked: 'The access token has been revoked. Get a new one with the refresh token.',
    client_suspended: 'The application is suspended. Contact the operator of this service.',
    ...endings,
  },
} as const

type Catalogue = Record<string, Record<string, string>>
type ReasonOf<C extends Catalogue> = { [E in keyof C]: keyof C[E] & string }[keyof C]
type DescriptionOf<C extends Catalogue, R> = {
  [E in keyof C]: R extends keyof C[E] ? C[E][R] : never
}[keyof C]
/** The argument that a description needs. */
type Detail<Description> = Description extends `${string}{detail}${string}` ? [detail: string] : []

type TokenError = keyof typeof tokenDescriptions
export type TokenReason = ReasonOf<typeof tokenDescriptions>
export type BearerReason = ReasonOf<typeof bearerDescriptions>

/** Every reason to refuse a request with credentials, as the log names it. */
export type LogReason = TokenReason | BearerReason

export type TokenRefusal = {
  kind: 'refused'
  error: TokenError
  reason: TokenReason
  explanation: string
  /** The connection that this request has ended. */
  endedConnection?: string
}

export type BearerRefusal = {
  kind: 'refused'
  error: keyof typeof bearerDescriptions
  reason: BearerReason
  explanation: string
}

export function tokenRefusal<R extends TokenReason>(
  reason: R,
  ...[detail]: Detail<DescriptionOf<typeof tokenDescriptions, R>>
): TokenRefusal {
  return { kind: 'refused', reason, ...find(tokenDescriptions, reason, detail) }
}

export function bearerRefusal<R extends BearerReason>(
  reason: R,
  ...[detail]: Detail<DescriptionOf<typeof bearerDescriptions, R>>
): BearerRefusal {
  return { kind: 'refused', reason, ...find(bearerDescriptions, reason, detail) }
}

function find<E extends string>(
  catalogue: Record<E, Record<string, string>>,
  reason: string,
  detail = '',
): { error: E; explanation: string } {
  for (const error in catalogue) {
    const description = catalogue[error][reason]
    // A function, because `$&` has a meaning in a replacement text.
    if (description !== undefined)
      return { error, explanation: description.replace('{detail}', () => detail) }
  }
  throw new Error(`unknown reason ${reason}`)
}
