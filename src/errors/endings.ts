import type { Cause } from './entry.ts'

const connectAgain =
  'Ask the user to connect again. Delete the tokens of this connection, and stop reading data for this user until then.'

/** An old refresh token was sent. The request that sent it and all later ones give this reason. */
export const refreshTokenReuse = {
  message: 'Refresh token reuse detected. The connection has been revoked.',
  anchor: 'refresh-token-reused',
  cause:
    'An old refresh token was sent, and a newer one had been used long before. Either your application uses a copy of its store, such as a backup or a second environment, or someone copied the token.',
  remedy: `${connectAgain} Store the new refresh token of each answer before you use the access token, and let all workers read the same store.`,
} as const satisfies Cause

/** Why a connection has ended. The token endpoint and the API give the same reasons. */
export const endings = {
  ended_by_user: {
    message: 'The user has disconnected this application. Ask the user to connect again.',
    cause: 'The user pressed Disconnect on the page Connected apps.',
    remedy: `${connectAgain} Do not send the user there automatically: the user decided to stop sharing.`,
  },
  ended_by_operator: {
    message: 'The operator of this service has ended the connection. Ask the user to connect again.',
    cause: 'The operator revoked the grant of this user for your application.',
    remedy: `${connectAgain} If you do not know why, contact the operator.`,
  },
  ended_by_firm_change: {
    message: 'The user moved to another firm, which ended the connection. Ask the user to connect again.',
    cause:
      'The user now belongs to another firm. The user consented to what the earlier firm shows, so the connection ended.',
    remedy: `${connectAgain} Delete what you read for the earlier firm, if your agreement says so.`,
  },
  ended_by_expiry: {
    message: 'The consent of the user has expired. Ask the user to connect again.',
    cause:
      'The operator limits how long a consent is valid. The user gave it that long ago, and has not renewed it on the page Connected apps or by connecting again.',
    remedy: `${connectAgain} The user keeps the same subject (sub). Ask the operator how long consents are valid: a user who connects again before the end loses nothing.`,
  },
  ended_by_partner: {
    message: 'The connection has been revoked by this application. Ask the user to connect again.',
    cause: 'Your application revoked a refresh token of this connection at oauth2/revoke.',
    remedy: connectAgain,
  },
  ended_by_code_replay: {
    message: 'Authorization code reuse detected. The connection has been revoked.',
    cause:
      'The authorization code of this connection was sent to oauth2/token a second time. Someone may have copied it, so everything that it started was revoked (RFC 6749 section 4.1.2).',
    remedy: `${connectAgain} Send each code once. A common fault is a callback page that the browser loads again.`,
  },
  ended_by_code_misuse: {
    message:
      'The authorization code was sent with a wrong redirect_uri or code_verifier. The connection has been revoked.',
    cause:
      'A token request had the right code, and a redirect_uri or code_verifier that does not belong to it. The code is not valid for a second attempt.',
    remedy: `${connectAgain} Store redirect_uri and code_verifier with the state, and send those of the same request.`,
  },
  ended_by_leak: {
    message: 'A token or code of this connection was found in a public place. Ask the user to connect again.',
    cause:
      'A refresh token or an authorization code of this connection was published, for example in a log or a repository, and someone reported it. Everything that it could open was ended at once.',
    remedy: `${connectAgain} Find out how the token got there before you do: tokens belong into no log, address or repository.`,
  },
  ended_by_refresh_replay: refreshTokenReuse,
  /** For a connection that ended before the database recorded who ended a connection. */
  ended: {
    message: 'The connection has ended. Ask the user to connect again.',
    cause: 'The connection was ended some time ago. The service does not know by whom.',
    remedy: connectAgain,
  },
  user_disabled: {
    message: 'The user is disabled.',
    cause: 'The operator disabled the account of this user.',
    remedy:
      'Stop reading data for this user. If the operator enables the account again, the connection works again, as long as its refresh token is valid.',
  },
} as const satisfies Record<string, Cause>
