import { clientCauses } from './client-causes.ts'
import type { Entry } from './entry.ts'
import { grantCauses } from './grant-causes.ts'
import { authorizationCauses, requestCauses } from './request-causes.ts'

const notSupported = (name: string) =>
  `No. Send the parameters in the query or in the form, without ${name}.` as const

/** The errors of OAuth 2.0 and OpenID Connect by their code: the `error` of an answer, or of the redirect to the partner. */
export const oauthErrors = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    sentBy: ['oauth2', 'redirect'],
    meaning:
      'A parameter is missing, repeated or malformed, or the request was sent in a way that the server does not read. At oauth2/* the status may also be 404, 405, 413 or 415.',
    retryable: false,
    retry: 'No. The same request always gets the same answer.',
    causes: { ...requestCauses, ...authorizationCauses },
  },
  unsupported_grant_type: {
    status: 400,
    title: 'Unsupported grant type',
    sentBy: ['oauth2'],
    meaning: 'oauth2/token knows two grant types: authorization_code and refresh_token.',
    retryable: false,
    retry: 'No.',
    causes: {
      grant_type: {
        message: 'Unsupported grant_type. Send authorization_code or refresh_token.',
        cause:
          'grant_type has another value, such as client_credentials or password, or has capital letters.',
        remedy:
          'Access is always on behalf of a user, who has to connect first. Send the user to the authorize address, and redeem the code.',
      },
    },
  },
  unauthorized_client: {
    status: 400,
    title: 'Client suspended',
    sentBy: ['oauth2'],
    meaning: 'Your application was authenticated, but may not use the service now.',
    retryable: false,
    retry: 'Not before the operator ends the suspension.',
    causes: {
      suspended_client: {
        message: 'This client is suspended. Contact the operator of this service.',
        cause: 'The operator suspended your application.',
        remedy:
          'Contact the operator. Keep the refresh tokens: they work again when the suspension ends, if they have not expired.',
      },
    },
  },
  invalid_client: {
    status: 401,
    title: 'Client not authenticated',
    sentBy: ['oauth2'],
    meaning:
      'The server does not accept the credential of your application. It says nothing about the code or the refresh token, and has not used them up.',
    retryable: false,
    retry:
      'No. Correct the credential first. Then the same code or refresh token can be sent, as long as it is valid.',
    causes: clientCauses,
  },
  invalid_grant: {
    status: 400,
    title: 'Invalid code or refresh token',
    sentBy: ['oauth2'],
    meaning:
      'Your application was authenticated, and the code or the refresh token that it sent is not valid. error_description says why.',
    retryable: false,
    retry: 'No. In most cases the user has to connect again. Do not repeat the request in a loop.',
    causes: grantCauses,
  },
  unsupported_response_type: {
    status: 303,
    title: 'Unsupported response type',
    sentBy: ['redirect'],
    meaning: 'The authorize address gives only codes.',
    retryable: false,
    retry: 'No.',
    causes: {
      response_type: {
        message: 'The only supported response_type is code.',
        cause: 'response_type has another value, such as token or id_token.',
        remedy: 'Send response_type=code, and redeem the code at oauth2/token.',
      },
    },
  },
  invalid_scope: {
    status: 303,
    title: 'Invalid scope',
    sentBy: ['redirect'],
    meaning: 'The authorization request does not have the scope openid.',
    retryable: false,
    retry: 'No.',
    causes: {
      no_scope: {
        message: 'scope is missing. Send scope=openid.',
        cause: 'The authorization request has no scope.',
        remedy: 'Send scope=openid.',
      },
      scope_without_openid: {
        message: 'Invalid scope. scope must contain openid.',
        cause: 'scope has other values, separated by spaces, and none of them is openid.',
        remedy: 'Send scope=openid. Other values are ignored; there is one scope for everything.',
      },
    },
  },
  request_not_supported: {
    status: 303,
    title: 'Request object not supported',
    sentBy: ['redirect'],
    meaning: 'The parameter request (OpenID Connect Core section 6) is not supported.',
    retryable: false,
    retry: notSupported('request'),
    causes: {
      request: {
        message: 'The parameter request is not supported.',
        cause: 'The OAuth library signs the parameters as a request object.',
        remedy: 'Switch request objects off in the library.',
      },
    },
  },
  request_uri_not_supported: {
    status: 303,
    title: 'Request by address not supported',
    sentBy: ['redirect'],
    meaning:
      'The parameter request_uri is not supported. The server never fetches an address from a request.',
    retryable: false,
    retry: notSupported('request_uri'),
    causes: {
      request_uri: {
        message: 'The parameter request_uri is not supported.',
        cause: 'The OAuth library uses pushed authorization requests or a request object by address.',
        remedy: 'Switch both off in the library.',
      },
    },
  },
  registration_not_supported: {
    status: 303,
    title: 'Registration in a request not supported',
    sentBy: ['redirect'],
    meaning: 'The parameter registration is not supported. The operator registers applications.',
    retryable: false,
    retry: notSupported('registration'),
    causes: {
      registration: {
        message: 'The parameter registration is not supported.',
        cause: 'The authorization request has the parameter registration.',
        remedy: 'Leave it out, and ask the operator for a client_id.',
      },
    },
  },
  login_required: {
    status: 303,
    title: 'Login required',
    sentBy: ['redirect'],
    meaning: 'The request says prompt=none or names a user, and the user would have to log in first.',
    retryable: true,
    retry: 'Not in the background. Send the user again without prompt=none.',
    causes: {
      no_session: {
        message: 'The user must log in.',
        cause: 'With prompt=none: the user is not logged in, or the login is older than max_age.',
        remedy:
          'Show your connect button, and send the request without prompt=none when the user presses it.',
      },
      no_second_factor: {
        message: 'The user must prove a second factor.',
        cause:
          'With prompt=none: your application, or the role or the firm of the user, requires a stronger login than the user has made.',
        remedy:
          'Show your connect button, and send the request without prompt=none when the user presses it. The user proves the second factor on a page of this server.',
      },
      other_user: {
        message: 'The user who is logged in is not the user of the id_token_hint.',
        cause: 'In this browser, another user is logged in.',
        remedy: 'Send the request again without id_token_hint, if this other user may connect.',
      },
    },
  },
  unmet_authentication_requirements: {
    status: 303,
    title: 'Authentication requirements not met',
    sentBy: ['redirect'],
    meaning:
      'A stronger login is required than the user could make (OpenID Connect Core Error Code unmet_authentication_requirements).',
    retryable: true,
    retry:
      'Only if the user wants to: show your connect button again, and say that a second factor is needed.',
    causes: {
      second_factor_refused: {
        message: 'The user did not prove the second factor that is required.',
        cause:
          'Your application, or the role or the firm of the user, requires a second factor or a passkey. The user chose to go back.',
        remedy:
          'Tell the user which second factor is needed. The operator sets what your application requires: latchkey partner update --require-acr.',
      },
    },
  },
  consent_required: {
    status: 303,
    title: 'Consent required',
    sentBy: ['redirect'],
    meaning: 'The request says prompt=none, and the user has not connected your application.',
    retryable: true,
    retry: 'Not in the background. Send the user again without prompt=none.',
    causes: {
      no_consent: {
        message: 'The user must give consent on the connect page.',
        cause: 'The user never connected your application, or has disconnected it.',
        remedy:
          'Show your connect button, and send the request without prompt=none when the user presses it.',
      },
    },
  },
  access_denied: {
    status: 303,
    title: 'Access denied',
    sentBy: ['redirect'],
    meaning: 'The user pressed Cancel on the connect page. No code was issued.',
    retryable: true,
    retry: 'Only if the user wants to: show your connect button again, with a short sentence.',
    causes: {
      user_denied: {
        message: 'The user denied the request.',
        cause: 'The user pressed Cancel on the connect page.',
        remedy: 'Show your page without the data. This is not a fault.',
      },
    },
  },
  server_error: {
    status: 500,
    title: 'Internal server error',
    sentBy: ['oauth2'],
    meaning: 'The server has a fault. Your request is not the reason.',
    retryable: true,
    retry: 'Once or twice, with some seconds between. Then report the request id to the operator.',
    causes: {
      fault: {
        cause: 'A fault in the service.',
        remedy: 'Send the request_id of the body (also in X-API-Request-ID) to the operator.',
      },
    },
  },
  temporarily_unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    sentBy: ['oauth2'],
    meaning:
      'The server cannot answer now, or your application sends too many requests (status 429). It says nothing about your code or refresh token, so keep it.',
    retryable: true,
    retry:
      'Yes, after the number of seconds in Retry-After, and then with growing waits. A refresh token can safely be sent again.',
    causes: {
      too_many_requests: {
        cause: 'With status 429: the limit of your application is used up.',
        remedy:
          'Wait for Retry-After. Keep access tokens for their whole hour, and let one worker refresh each connection.',
      },
      invalid_credentials: {
        cause: 'With status 429: too many requests with wrong client credentials came from your network.',
        remedy: 'Correct client_id and client_secret, and wait for Retry-After.',
      },
      unavailable: {
        cause: 'With status 503: the database of the service does not answer, or the server is restarting.',
        remedy:
          'Wait and send the same request again. Do not discard tokens, and do not ask users to connect again.',
      },
    },
  },
} as const satisfies Record<string, Entry>
