import { type Entry, otherEnvironment } from './entry.ts'

const createKey =
  'Create another key and send it as Authorization: Bearer <key>. A developer key is made on the developer pages, or by the operator with `latchkey developer-key create`; a key of the admin API with `latchkey api-key create`.'

/**
 * The problems that only the admin API and the developer API send, by their code. They share the others with the API that
 * reads data.
 */
export const managementProblems = {
  invalid_api_key: {
    status: 401,
    title: 'Invalid API key',
    sentBy: ['management'],
    meaning:
      'The request to the developer API or the admin API has no key, or one that the server does not accept. The detail says why.',
    retryable: false,
    retry: 'Not with this key.',
    causes: {
      key_missing: {
        message: 'API key is missing. Send it as Authorization: Bearer <key>.',
        cause: 'The Authorization header is missing, or is not the word Bearer, one space and one API key.',
        remedy: `${createKey} The server does not read keys in the query or in cookies.`,
      },
      key_malformed: {
        message: '{detail}',
        cause: 'The text is not an API key of this service: cut off, mistyped, or from elsewhere.',
        remedy: 'Send the key exactly as the command printed it, all 60 characters.',
      },
      key_wrong_kind: {
        message: '{detail}',
        cause:
          'An access token, a refresh token, a code or a client secret was sent instead of a key, or a key of the other API.',
        remedy:
          'Send to the developer API a key that begins with lk_test_dk_ or lk_live_dk_, and to the admin API one with lk_test_ak_ or lk_live_ak_.',
      },
      key_wrong_environment: {
        message: '{detail}',
        cause: 'The key is from the sandbox and was sent to production, or the reverse.',
        remedy: otherEnvironment,
      },
      key_unknown: {
        message: 'Unknown API key.',
        cause: 'The text has the form of an API key, but this service never issued it.',
        remedy: createKey,
      },
      key_expired: {
        message: 'The API key has expired.',
        cause: 'The key was created with a number of days for which it is valid, and they are over.',
        remedy: createKey,
      },
      key_revoked: {
        message: 'The API key has been revoked.',
        cause: 'An operator or a developer revoked the key, or it was found in public.',
        remedy: createKey,
      },
    },
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    sentBy: ['management'],
    meaning:
      'The key is valid, and has not the scope or the role that this operation needs. The detail names it.',
    retryable: false,
    retry: 'Not with this key.',
    causes: {
      scope_missing: {
        message: 'This operation needs the scope {detail}, which the API key does not have.',
        cause: 'The key was created without this scope. A scope for writing includes the one for reading.',
        remedy: 'Create a key with the scope. The scopes of a key cannot be changed.',
      },
      role_missing: {
        message: 'This operation needs a developer key with the role {detail}.',
        cause: 'The role of the key may not do this. The description of the API says what each role may do.',
        remedy: 'Create a key with the role. The role of a key cannot be changed.',
      },
      scope_of_new_key: {
        message:
          'An API key can create keys only with scopes that it has itself. It does not have: {detail}.',
        cause: 'The request creates a key that could do more than the key that creates it.',
        remedy: 'Leave the scopes out, or create the key with `latchkey api-key create`.',
      },
      role_beyond_key: {
        message:
          'An API key can add and change only operators whose role has no other scopes than the key. It does not have: {detail}.',
        cause: 'The request is about an operator who may do more than the key.',
        remedy: 'Use a key with all scopes, `latchkey operator`, or the console.',
      },
    },
  },
  invalid_content: {
    status: 422,
    title: 'Invalid content',
    sentBy: ['management'],
    meaning:
      'The body is JSON, but the operation does not accept what it says. errors[] names each field and says what is wrong. Nothing was changed.',
    retryable: false,
    retry: 'No. Correct the fields that errors[] names.',
    causes: {
      unknown_field: {
        cause:
          'The body has a field that the operation does not know. A misspelled field must not be ignored.',
        remedy: 'Remove the field, or correct its name.',
      },
      invalid_field: {
        cause: 'A field is missing, has the wrong type, or has a value that the operation does not accept.',
        remedy: 'Compare the body with the schema of the operation in openapi.json.',
      },
      unknown_reference: {
        cause: 'A field names a firm, role, user or partner that does not exist.',
        remedy: 'Create it first, or correct the id.',
      },
      invalid_rows: {
        cause:
          'Rows of directory/changes are wrong. errors[] has the line and the field of each fault, at most 1,000 of them.',
        remedy: 'Correct these rows, or leave them out, and send the request again. No row was stored.',
      },
    },
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    sentBy: ['management'],
    meaning:
      'The request does not fit the present state: something with this id exists already, or someone else changed it at the same time. Nothing was changed.',
    retryable: false,
    retry: 'Read the resource, then decide.',
    causes: {
      taken: {
        cause: 'The id, address or client id of a new resource is taken.',
        remedy: 'Read the existing resource. It may already be what you want.',
      },
      state: {
        cause: 'The operation does not apply to the resource as it is. The detail says why.',
        remedy: 'Do what the detail says.',
      },
    },
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key used for another request',
    sentBy: ['management'],
    meaning:
      'An earlier request with this Idempotency-Key had another path or another body. The server carried out the earlier request and not this one.',
    retryable: false,
    retry: 'Not with this Idempotency-Key.',
    causes: {
      other_request: {
        message:
          'This Idempotency-Key belongs to an earlier request with another path or body. Send a new key with a new request.',
        cause: 'A program used the same key for two different requests within 24 hours.',
        remedy:
          'Make a new random key for each request, and send the same key only when you repeat the same request.',
      },
    },
  },
} as const satisfies Record<string, Entry>
