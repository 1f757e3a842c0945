import { type Cause, otherEnvironment } from './entry.ts'

/** The same answer for an unknown client, a wrong secret and a wrong key, so that an attacker learns nothing. */
const wrongCredentials = {
  message: 'Invalid client credentials.',
  cause:
    'The client_id is unknown, or the secret or the signature does not belong to it. The answer does not say which, because an attacker must not learn it.',
  remedy:
    'Compare client_id and client_secret with what the operator gave you; look for spaces and line breaks at the ends. If the operator has replaced the secret twice since then, yours no longer works: ask for the current one. With private_key_jwt, check that the public key is registered and that kid names it.',
  anchor: 'invalid-client-credentials',
} as const satisfies Cause

const newAssertion = 'Sign a new assertion for each request, with the clock of your server synchronized.'

/** `invalid_client`: why the client was not authenticated (RFC 6749 section 2.3, RFC 7523). */
export const clientCauses = {
  unknown_client: wrongCredentials,
  assertion_unverified: wrongCredentials,
  no_client_secret: {
    message: 'client_secret is missing. A client registered for private_key_jwt sends client_assertion.',
    cause: 'The request has a client_id and no credential.',
    remedy:
      'Send client_id and client_secret in the body, or both in an Authorization header of the scheme Basic. With Basic, the header may have been removed by a redirect or a proxy.',
  },
  basic_malformed: {
    message: 'Malformed Basic credentials in the Authorization header (RFC 6749, section 2.3.1).',
    cause:
      'The Authorization header is not Basic, a space, and the base64 of client_id, a colon and client_secret. An access token in this header gives the same error.',
    remedy:
      'Use the Basic authentication of your HTTP library, or send client_id and client_secret in the body and no Authorization header.',
  },
  client_wrong_environment: {
    message: 'This client_id belongs to {detail}.',
    cause: 'A client_id of the sandbox was sent to production, or the reverse.',
    remedy: otherEnvironment,
  },
  secret_malformed: {
    message: '{detail} A client registered for private_key_jwt sends client_assertion.',
    cause:
      'The text sent as client_secret is not a client secret: cut off, mistyped, or still a placeholder.',
    remedy:
      'Copy the secret again, all 60 characters from lk_ on. Look for quotation marks, spaces and line breaks that a shell or a file added.',
  },
  secret_too_short: {
    message: 'The client_secret has fewer than {detail} characters.',
    cause:
      'The client_id is not one that this service made, and the secret is too short to be one of a service before it.',
    remedy:
      'Copy client_id and client_secret again. If both are right, make a new secret on the developer pages: a short one can be guessed.',
  },
  secret_wrong_kind: {
    message: '{detail} A client registered for private_key_jwt sends client_assertion.',
    cause: 'An access token, a refresh token or a code was sent as client_secret.',
    remedy: 'Send the secret that begins with lk_test_cs_ or lk_live_cs_.',
  },
  secret_wrong_environment: {
    message: '{detail}',
    cause: 'A client_secret of the sandbox was sent to production, or the reverse.',
    remedy: otherEnvironment,
  },
  wrong_method: {
    message: 'The credential is correct, but this client is not registered for {detail}.',
    cause: 'Your application used an authentication method that the operator has not allowed for it.',
    remedy:
      'Change the setting of your OAuth library: client_secret_post sends the secret in the body, client_secret_basic in the Authorization header, and private_key_jwt an assertion. Or ask the operator to allow the method.',
  },
  secret_leaked: {
    message:
      'This client_secret was found in a public place and is withdrawn. Make a new one on the developer pages.',
    cause:
      'The secret was published, for example in a repository or a log, and someone reported it. It was withdrawn at once, because anyone who has it could act as your application.',
    remedy:
      'Make a new secret on the developer pages, under Credentials, or ask the operator. Store it where it cannot be published. Remove the old one from where it was found, also from the history of the repository.',
  },
  assertion_required: {
    message: 'This client is registered for private_key_jwt. Send client_assertion instead of a secret.',
    cause: 'The client has no secret. It authenticates by signing an assertion.',
    remedy:
      'Set your OAuth library to private_key_jwt and give it your private key; see the metadata at .well-known/openid-configuration for algorithms.',
  },
  assertion_used: {
    message: 'client_assertion was used before or has expired. Sign a new one for each request.',
    cause: 'Each assertion counts once. This one was received before, or its exp has passed.',
    remedy: `${newAssertion} A retry needs a new one too.`,
  },
  assertion_type: {
    message: 'client_assertion_type must be {detail}.',
    cause: 'client_assertion_type has another value.',
    remedy: 'Send exactly the value that the answer names.',
  },
  assertion_malformed: {
    message: 'client_assertion is not a signed JWT with alg and sub.',
    cause: 'The text is not a JWT in compact form, or it has no alg in its header or no sub in its claims.',
    remedy: 'Sign with a JWT library. The claims are iss, sub, aud, exp and jti.',
  },
  assertion_algorithm: {
    message: 'client_assertion: alg must be one of {detail}.',
    cause: 'The assertion is signed with another algorithm, such as HS256 or none.',
    remedy: 'Sign with the private key that belongs to your registered public key.',
  },
  assertion_wrong_environment: {
    message: 'client_assertion: the client belongs to {detail}.',
    cause: 'The client_id in sub is of the other environment.',
    remedy: otherEnvironment,
  },
  assertion_iss: {
    message: 'client_assertion: iss and sub must both be the client_id.',
    cause: 'iss or sub is missing, or is not your client_id.',
    remedy: 'Set both to your client_id.',
  },
  assertion_aud: {
    message: 'client_assertion: aud must be {detail}.',
    cause: 'The assertion is addressed to another server or to another address.',
    remedy: 'Set aud to the issuer of the metadata, or to the address that you call.',
  },
  assertion_exp: {
    message: 'client_assertion: exp must be a time in the next {detail} seconds.',
    cause: 'exp is missing, has passed, or is too far ahead. Often the clock of your server is wrong.',
    remedy: `${newAssertion} Set exp to a minute from now, in seconds since 1970 (not milliseconds).`,
  },
  assertion_nbf: {
    message: 'client_assertion: nbf must be a number and not in the future.',
    cause: 'nbf is in the future. Often the clock of your server is ahead.',
    remedy: `${newAssertion} Clocks may differ by 30 seconds. nbf can be left out.`,
  },
  assertion_iat: {
    message: 'client_assertion: iat must be a number and not in the future.',
    cause: 'iat is in the future. Often the clock of your server is ahead.',
    remedy: `${newAssertion} Clocks may differ by 30 seconds. iat can be left out.`,
  },
  assertion_jti: {
    message: 'client_assertion: jti must be text of 1 to 256 characters and new in each request.',
    cause: 'jti is missing or too long.',
    remedy: 'Set jti to a new random UUID in each assertion.',
  },
  assertion_claim: {
    message: 'client_assertion: a claim is not valid.',
    cause: 'A claim of the assertion has a wrong type or value.',
    remedy: 'Send only iss, sub, aud, exp and jti.',
  },
} as const satisfies Record<string, Cause>
