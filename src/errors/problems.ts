import { endings } from './endings.ts'
import { type Entry, otherEnvironment } from './entry.ts'
import { stepUpProblems } from './step-up.ts'

const getAccessToken =
  'Get a new access token at oauth2/token with grant_type=refresh_token, and repeat the call once.'
const sendOtherText = 'Send the access token exactly as oauth2/token returned it, all 87 characters.'

/** The problems of the API by their code. A problem's `type` is the address of its page. */
export const problems = {
  invalid_parameter: {
    status: 400,
    title: 'Invalid parameter',
    sentBy: ['api', 'management'],
    meaning:
      'A parameter in the query has a value that the API does not accept. errors[] in the body names each parameter and says what is wrong.',
    retryable: false,
    retry: 'No. The same request always gets the same answer. Correct the parameters that errors[] names.',
    causes: {
      not_a_number: {
        cause: 'page, page_size or limit is not a number in decimal digits, or is out of its range.',
        remedy: 'Send digits only. page is 0 or more; page_size and limit are from 1 to 1000.',
      },
      sent_twice: {
        cause: 'The same parameter is in the query twice.',
        remedy: 'Send each parameter once. Set parameters in your HTTP library instead of appending them.',
      },
      foreign_cursor: {
        cause:
          'The cursor was changed, belongs to another user or another server, or was sent with other filters than before.',
        remedy:
          'Send the cursor exactly as you received it, alone, with an access token of the same user. Otherwise start again without a cursor.',
      },
      not_an_instant: {
        cause: 'updated_since is not an RFC 3339 instant, or is in the future.',
        remedy: 'Send the as_of of an earlier receipt unchanged. In a query, write the character + as %2B.',
      },
      search_with_updated_since: {
        cause: 'name_contains and updated_since were sent together.',
        remedy: 'Send one of them. Read the changes first, and search in your copy.',
      },
    },
  },
  bad_request: {
    status: 400,
    title: 'Malformed request',
    sentBy: ['api', 'management'],
    meaning:
      'The server cannot read the request as HTTP or as text. The status may also be 408, 413, 415 or 431; the detail says what is wrong.',
    retryable: false,
    retry: 'No, except after 408 (the request did not arrive in time): then send it again.',
    causes: {
      ambiguous: {
        message: 'More than one access token was sent. Send one, in the Authorization header or in the body.',
        cause: 'A request to userinfo has an access token in the header and in the body, or two in the body.',
        remedy: 'Send the access token in the Authorization header only.',
      },
      encoding: {
        cause: 'The path or the query is not percent-encoded UTF-8.',
        remedy: 'Encode names and values with the URL functions of your language, once and as UTF-8.',
      },
      repeated_header: {
        cause: 'The Authorization header or the Host header was sent twice.',
        remedy: 'Send each once. A proxy of yours may add one.',
      },
      too_large: {
        cause: 'The address and the headers have more than 16 kB, or the body has more than 64 kB.',
        remedy: 'Send a shorter request. API calls have no body.',
      },
      media_type: {
        cause: 'The request has a body of a type that the server does not read.',
        remedy: 'Send GET requests without a body and without Content-Type.',
      },
    },
  },
  unauthorized: {
    status: 401,
    title: 'Access token required',
    sentBy: ['api'],
    meaning: 'The request has no access token in its Authorization header.',
    retryable: false,
    retry: 'Not without an access token.',
    causes: {
      missing: {
        message: 'Access token is missing. Send it as Authorization: Bearer <token>.',
        cause:
          'The Authorization header is missing. Some HTTP libraries remove it when they follow a redirect to another host.',
        remedy: 'Send the header Authorization: Bearer, a space, and the access token.',
      },
      token_in_query: {
        message:
          'Access token is missing. The server does not read access_token in the query string, because servers log addresses. Send it as Authorization: Bearer <token>.',
        cause: 'The access token is in the query string.',
        remedy:
          'Send it in the Authorization header. Addresses are logged on their way, so treat this access token as leaked: revoke it at oauth2/revoke, and refresh.',
      },
    },
  },
  invalid_token: {
    status: 401,
    title: 'Invalid access token',
    sentBy: ['api'],
    meaning: 'The server received an access token and does not accept it. The detail says why.',
    retryable: false,
    retry:
      'Not with this access token. If it has expired or was revoked, refresh and repeat the call once. If the refresh answers invalid_grant, the user has to connect again.',
    causes: {
      malformed_header: {
        message: 'Malformed Authorization header. Send Authorization: Bearer <token>.',
        cause: 'The header is not the word Bearer, one space, and one access token.',
        remedy:
          'Send the word Bearer, one space, and the access token. client_id and client_secret are for oauth2/token, not for the API.',
      },
      no_scheme: {
        message:
          'The Authorization header has a token without its scheme. Send Authorization: Bearer <token>.',
        cause: 'The header contains the access token alone, or after another word than Bearer.',
        remedy: 'Write Bearer and one space before the access token.',
      },
      malformed: {
        message: '{detail}',
        cause: 'The text is not a token of this service: cut off, mistyped, or from elsewhere.',
        remedy: `${sendOtherText} Check that the field of your database is long enough: 100 characters fit.`,
      },
      wrong_kind: {
        message: '{detail}',
        cause: 'A refresh token, a code or a client secret was sent instead of an access token.',
        remedy: 'Send the access_token of the token response. It begins with lk_test_at_ or lk_live_at_.',
      },
      wrong_environment: {
        message: '{detail}',
        cause: 'The access token is from the sandbox and was sent to production, or the reverse.',
        remedy: otherEnvironment,
      },
      forged: {
        message: 'Invalid access token. It was altered or not issued by this service.',
        cause: 'The text has the form of an access token, but its signature is wrong.',
        remedy: `${sendOtherText} If it was, contact the operator.`,
      },
      unknown_key: {
        message:
          'Invalid access token. This service no longer accepts the key that signed it. Get a new one with the refresh token.',
        cause: 'The operator replaced the secret of the service after the token was issued.',
        remedy: `${getAccessToken} If that fails too, ask the user to connect again.`,
      },
      unknown: {
        message: 'Unknown or expired access token.',
        cause: 'The connection of this access token no longer exists. The service deletes old connections.',
        remedy: getAccessToken,
      },
      expired: {
        message: 'Expired access token. Get a new one with the refresh token.',
        cause: 'An access token is valid for one hour.',
        remedy: `${getAccessToken} To avoid this answer, refresh before the time in expires_in is over.`,
      },
      token_revoked: {
        message: 'The access token has been revoked. Get a new one with the refresh token.',
        cause: 'Your application revoked an access token of this connection. That ends all of them.',
        remedy: getAccessToken,
      },
      client_suspended: {
        message: 'The application is suspended. Contact the operator of this service.',
        cause: 'The operator suspended your application.',
        remedy: 'Contact the operator. Keep the tokens: they work again when the suspension ends.',
      },
      ...endings,
    },
  },
  ...stepUpProblems,
  not_found: {
    status: 404,
    title: 'Not found',
    sentBy: ['api', 'management'],
    meaning: 'The address does not exist, or names a household that this user may not see.',
    retryable: false,
    retry: 'No.',
    causes: {
      address: {
        cause: 'The address is not one of the API. The detail suggests the address that you may have meant.',
        remedy: 'Compare the address with the reference. Paths are case-sensitive and do not end in a slash.',
      },
      household: {
        cause:
          'There is no household with this id, or the user may not see it. The answer is the same for both.',
        remedy:
          'Use ids from the listing of the same user. If it was visible before, delete your copy: read the listing with updated_since to learn what else is no longer visible.',
      },
    },
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    sentBy: ['api', 'management'],
    meaning:
      'The address exists, but not for this HTTP method. The Allow header has the methods that it takes.',
    retryable: false,
    retry: 'No.',
    causes: {
      read_only: {
        cause: 'The API is read-only, and the request was not GET or HEAD.',
        remedy: 'Send GET. A redirect or a library may have changed the method.',
      },
    },
  },
  sync_expired: {
    status: 410,
    title: 'Synchronization expired',
    sentBy: ['api'],
    meaning: 'The server no longer knows everything that changed since updated_since.',
    retryable: false,
    retry: 'Not with this updated_since. Start a full sync.',
    causes: {
      too_long_ago: {
        cause: 'updated_since is longer ago than the server keeps changes.',
        remedy:
          'Read everything again without updated_since and cursor, delete from your copy what is not in it, and continue from the as_of of the new receipt.',
      },
      role_changed: {
        cause: 'The role or the firm of the user has changed since updated_since, or since this sync began.',
        remedy:
          'Read everything again without updated_since and cursor, and replace your copy: any household may have become visible or invisible.',
      },
    },
  },
  gone: {
    status: 410,
    title: 'API version no longer served',
    sentBy: ['api'],
    meaning:
      'The operation has ended. The operator announced the day in the Deprecation and Sunset headers of its answers.',
    retryable: false,
    retry: 'No. Use the successor that the detail and the Link header (rel="successor-version") name.',
    causes: {
      v1_households: {
        cause: 'GET api/v1/households was sent after its sunset.',
        remedy:
          'Call GET api/v2/households. It has cursors instead of page numbers; the connections of your users stay.',
      },
    },
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    sentBy: ['api', 'management'],
    meaning: 'Your application sent more requests than it may send in this time.',
    retryable: true,
    retry:
      'Yes. Wait for the number of seconds in Retry-After, then send the same request again. Add a random part to the wait if several workers share the limit.',
    causes: {
      quota: {
        cause:
          'The limit of your application, or of one of its users, is used up. RateLimit-Policy says how many requests are allowed in which time, and RateLimit says how many remain.',
        remedy:
          'Wait for Retry-After. Spread requests over time, use If-None-Match and updated_since to read less, and keep access tokens for their whole hour.',
      },
      expensive_reads: {
        cause:
          'Two searches of this access token are running and eight are waiting, so this one is refused. Or all searches of your application together have reached the limit that the operator has set.',
        remedy:
          'Wait for the answers of the running searches. To read all households, do not search: follow the links in the Link header, or next_cursor in version 2.',
      },
      invalid_tokens: {
        cause: 'Too many access tokens that this service never issued came from your network.',
        remedy: 'Send the access token exactly as you got it. Valid tokens are not affected.',
      },
    },
  },
  internal_error: {
    status: 500,
    title: 'Internal server error',
    sentBy: ['api', 'management'],
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
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    sentBy: ['api', 'management'],
    meaning: 'The server cannot answer now. It says nothing about your access token, so keep it.',
    retryable: true,
    retry: 'Yes, after the number of seconds in Retry-After, and then with growing waits.',
    causes: {
      database_unavailable: {
        cause: 'The database of the service does not answer, or the server is restarting.',
        remedy: 'Wait and repeat. Do not discard tokens, and do not ask users to connect again.',
      },
      server_busy: {
        cause: 'Too many searches of all partners are running or waiting.',
        remedy: 'Wait and repeat. Reading by links or cursors is not limited in this way.',
      },
    },
  },
} as const satisfies Record<string, Entry>
