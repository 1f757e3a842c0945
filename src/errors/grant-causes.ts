import { endings, refreshTokenReuse } from './endings.ts'
import { type Cause, otherEnvironment } from './entry.ts'

const connectAgain = 'Ask the user to connect again.'
const storeWithState =
  'Store redirect_uri and code_verifier together with the state, look them up by the state of the callback, and ask the user to connect again: the code is no longer valid.'

/** `invalid_grant`: why a code or a refresh token was not accepted. */
export const grantCauses = {
  code_malformed: {
    message: '{detail}',
    cause: 'The text sent as code is not an authorization code: cut off, changed, or from elsewhere.',
    remedy:
      'Take the parameter code from the query of the callback with a URL library, and send it unchanged.',
  },
  code_wrong_kind: {
    message: '{detail}',
    cause: 'A token or a secret was sent as code.',
    remedy:
      'Send the code of the callback. To refresh, send grant_type=refresh_token and the token as refresh_token.',
  },
  code_wrong_environment: {
    message: '{detail}',
    cause: 'A code of the sandbox was sent to production, or the reverse.',
    remedy: otherEnvironment,
  },
  unknown_code: {
    message: 'Unknown or expired authorization code, or it was issued to another client.',
    cause:
      'Your application has no code with this text. It was issued to another client, or it expired long ago and was deleted.',
    remedy:
      'Check that the client_id of the token request is the one of the authorization request. Then ask the user to connect again.',
  },
  code_expired: {
    message: 'Expired authorization code. A code is valid for {detail} seconds.',
    cause: 'Your server sent the code too long after the callback.',
    remedy: `Redeem the code in the callback itself, not in a later job. ${connectAgain}`,
  },
  code_replayed: {
    message: 'Authorization code reuse detected. Every token issued for it has been revoked.',
    cause:
      'The code was sent before. Often the browser loaded the callback page twice, or a request was repeated after a time-out.',
    remedy: `${connectAgain} Remember in your session that the state was used, and do not repeat the request.`,
  },
  redirect_uri_mismatch: {
    message:
      'redirect_uri differs from the one in the authorization request. Both must be equal in every character, also in a slash at the end.',
    cause:
      'The token request has another redirect_uri than the authorization request: a slash at the end, http instead of https, another case, or another environment.',
    remedy: `Use one setting for both requests, or leave redirect_uri out of the token request. ${connectAgain}`,
  },
  code_verifier_missing: {
    message: 'code_verifier is missing. The authorization request had a code_challenge.',
    cause: 'The authorization request used PKCE and the token request did not.',
    remedy: storeWithState,
  },
  code_verifier_unexpected: {
    message: 'code_verifier was sent, but the authorization request had no code_challenge.',
    cause:
      'The token request used PKCE and the authorization request did not. Someone may have removed the challenge.',
    remedy: `Send code_challenge and code_challenge_method=S256 in the authorization request. ${connectAgain}`,
  },
  code_verifier_mismatch: {
    message: 'code_verifier does not match the code_challenge of the authorization request.',
    cause:
      'The verifier belongs to another authorization request, or the challenge is not the base64url of its SHA-256.',
    remedy: storeWithState,
  },
  refresh_token_malformed: {
    message: '{detail}',
    cause: 'The text sent as refresh_token is not a token: cut off, changed, or from elsewhere.',
    remedy:
      'Send the refresh_token of the last token response unchanged. Check that the field of your database is long enough: 100 characters fit.',
  },
  refresh_token_wrong_kind: {
    message: '{detail}',
    cause: 'An access token, a code or a secret was sent as refresh_token.',
    remedy: 'Send the refresh_token of the last token response. It begins with lk_test_rt_ or lk_live_rt_.',
  },
  refresh_token_wrong_environment: {
    message: '{detail}',
    cause: 'A refresh token of the sandbox was sent to production, or the reverse.',
    remedy: otherEnvironment,
  },
  refresh_token_forged: {
    message: 'Invalid refresh token. It was altered or not issued by this service.',
    cause: 'The text has the form of a refresh token, but its signature is wrong.',
    remedy: `Send the stored token unchanged. If it is unchanged, contact the operator. ${connectAgain}`,
  },
  refresh_token_unknown_key: {
    message:
      'Invalid refresh token. This service no longer accepts the key that signed it. Ask the user to connect again.',
    cause:
      'The operator replaced the secret of the service, and your application did not refresh in between.',
    remedy: connectAgain,
  },
  /** The database is older than the token, because a backup was restored. */
  refresh_token_ahead: {
    message:
      'Refresh token is newer than the data of this service, which was restored from a backup. Ask the user to connect again.',
    cause: 'The operator restored a backup that is older than this token.',
    remedy: connectAgain,
  },
  unknown_refresh_token: {
    message: 'Unknown or expired refresh token, or it was issued to another client.',
    cause:
      'Your application has no connection for this token. It was issued to another client, or the connection ended long ago and was deleted.',
    remedy: `Check that the client_id is the one that received the token. ${connectAgain}`,
  },
  refresh_token_expired: {
    message: 'Expired refresh token. A refresh token is valid for {detail} days.',
    cause: 'The connection was not refreshed in this time.',
    remedy: `${connectAgain} Refresh each connection at least once a week, also if its user is not active.`,
  },
  refresh_replayed: refreshTokenReuse,
  ...endings,
} as const satisfies Record<string, Cause>
