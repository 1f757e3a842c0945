import type { Cause } from './entry.ts'

/** `invalid_request`: what is wrong with a token, revocation, introspection or authorization request. */
export const requestCauses = {
  secret_in_query: {
    message: '{detail} was sent in the query string, which servers log. Send it in the request body.',
    cause: 'A secret, a code or a token is in the address.',
    remedy:
      'Send all parameters in the body. Addresses are logged on their way, so treat the value as leaked: replace the client_secret on the developer pages, or revoke the token.',
  },
  post_only: {
    message:
      'This address takes POST, not {detail}. Send a POST request with the parameters in the body, as Content-Type: application/x-www-form-urlencoded.',
    cause: 'The address was opened in a browser, or a redirect turned the POST into a GET.',
    remedy: 'Send POST to the address in the documentation, without a redirect and without a query string.',
  },
  no_such_address: {
    message: 'There is nothing at this address.{detail}',
    cause:
      'The address is not that of an operation. The answer suggests the address that you may have meant.',
    remedy: 'Take the addresses from the documentation or from .well-known/openid-configuration.',
  },
  unreadable_body: {
    message: 'Every parameter must be a string without the character NUL.',
    cause: 'The JSON body is not an object, or a value is a number, a list, an object, true or null.',
    remedy: 'Send a flat JSON object whose values are strings, or a form.',
  },
  json_as_form: {
    message:
      'The body looks like JSON, but its Content-Type is application/x-www-form-urlencoded. Send Content-Type: application/json, or a form.',
    cause: 'A JSON body was sent with the content type of a form. curl -d does that by default.',
    remedy: 'Set Content-Type: application/json, or send the parameters as a form: name=value&name=value.',
  },
  form_as_json: {
    cause: 'A form was sent with the content type of JSON.',
    remedy: 'Set Content-Type: application/x-www-form-urlencoded, or send a JSON object.',
  },
  malformed_request: {
    message: '{detail}',
    cause: 'The server cannot read the request: its encoding, its JSON, its size or its content type.',
    remedy: 'Correct what the answer names. Bodies are UTF-8, not compressed, and at most 64 kB.',
  },
  repeated_parameter: {
    message: '{detail} was sent more than once.',
    cause: 'A parameter is in the request twice, or both in the query and in the body.',
    remedy: 'Send each parameter once.',
  },
  no_grant_type: {
    message: 'grant_type is missing. Send authorization_code or refresh_token.',
    cause: 'The body has no grant_type. Perhaps the body was not sent, or has another content type.',
    remedy: 'Send grant_type=authorization_code with code, or grant_type=refresh_token with refresh_token.',
  },
  no_code: {
    message: 'code is missing.',
    cause: 'grant_type is authorization_code, and there is no code.',
    remedy: 'Send the parameter code of the callback.',
  },
  no_refresh_token: {
    message: 'refresh_token is missing.',
    cause: 'grant_type is refresh_token, and there is no refresh_token.',
    remedy: 'Send the refresh_token of the last token response. Check that your store still has it.',
  },
  no_token: {
    message: 'token is missing.',
    cause: 'A request to oauth2/revoke or oauth2/introspect has no token.',
    remedy: 'Send the access token or refresh token as the parameter token.',
  },
  token_type: {
    message: 'The only supported token_type is id.',
    cause: 'token_type has another value.',
    remedy: 'Send token_type=id, or leave it out.',
  },
  no_client_id: {
    message: 'client_id is missing.',
    cause: 'The request has no client_id in its body and no Authorization header.',
    remedy:
      'Send client_id and client_secret in the body, as application/x-www-form-urlencoded or application/json. Without a content type the server cannot read the body.',
  },
  no_assertion: {
    message: 'client_assertion is missing.',
    cause: 'The request has client_assertion_type and no client_assertion.',
    remedy: 'Send both.',
  },
  no_assertion_type: {
    message: 'client_assertion_type is missing.',
    cause: 'The request has client_assertion and no client_assertion_type.',
    remedy: 'Send client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer.',
  },
  authenticated_twice: {
    message:
      'The client authenticated twice. Send one credential, in the Authorization header or in the request body.',
    cause:
      'The request has an Authorization header and a credential in its body, or a secret and an assertion.',
    remedy:
      'Send one. Some OAuth libraries add the header by default: set them to client_secret_post or client_secret_basic.',
  },
  two_clients: {
    message: 'client_id in the request body differs from the client of the {detail}.',
    cause: 'The body names another client than the one that authenticates.',
    remedy: 'Send the same client_id in both places, or only in one.',
  },
} as const satisfies Record<string, Cause>

/** `invalid_request` in the redirect to the partner: what is wrong with an authorization request. */
export const authorizationCauses = {
  state_too_long: {
    message: 'state is longer than 4096 bytes.',
    cause: 'state carries too much.',
    remedy: 'Send a random value as state, and keep the data in your session under this value.',
  },
  no_response_type: {
    message: 'response_type is missing. Send code.',
    cause: 'A GET of the authorize address has no response_type.',
    remedy: 'Send response_type=code.',
  },
  response_mode: {
    message: 'The only supported response_mode is query.',
    cause: 'response_mode has another value, such as form_post.',
    remedy: 'Leave response_mode out, and read code and state from the query of the callback.',
  },
  challenge_missing: {
    message: 'code_challenge_method was sent without code_challenge.',
    cause: 'The PKCE challenge is missing or empty.',
    remedy: 'Send code_challenge, the base64url of the SHA-256 of the verifier.',
  },
  pkce_required: {
    message: 'PKCE is required for this client. Send code_challenge with code_challenge_method S256.',
    cause: 'Your client is registered with PKCE, and the request has none.',
    remedy: 'Switch PKCE with S256 on in your OAuth library.',
  },
  challenge_method: {
    message: 'code_challenge_method must be S256.',
    cause: 'The method is missing or plain. plain sends the verifier itself through the browser.',
    remedy: 'Send code_challenge_method=S256.',
  },
  challenge_malformed: {
    message: 'code_challenge must be 43 base64url characters.',
    cause: 'The challenge is hexadecimal, or base64 with + or / or padding.',
    remedy: 'Encode the 32 bytes of the SHA-256 as base64url without padding.',
  },
  prompt_none_combined: {
    message: 'prompt=none cannot be combined with other values.',
    cause: 'prompt has none and another value.',
    remedy: 'Send prompt=none alone, or leave it out.',
  },
  max_age: {
    message: 'max_age must be a number of seconds.',
    cause: 'max_age is not in decimal digits.',
    remedy: 'Send a whole number of seconds.',
  },
  nonce_too_long: {
    message: 'nonce is longer than 512 bytes.',
    cause: 'nonce carries too much.',
    remedy: 'Send a random value of 16 to 64 characters.',
  },
  id_token_hint: {
    message: 'Invalid id_token_hint: it is not an id_token that this server issued to this client.',
    cause: 'The hint is of another client or another environment, or was cut off.',
    remedy: 'Send the stored id_token unchanged, or leave id_token_hint out.',
  },
} as const satisfies Record<string, Cause>
