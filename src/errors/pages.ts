import type { Entry } from './entry.ts'

/**
 * Error pages that users see instead of a redirect to the partner. The pages have no code: users need none, and the reason
 * is in words. The catalogue explains them to the partner's developer.
 */
export const pageErrors = {
  authorization_refused: {
    status: 400,
    title: 'Authorization request refused with a page',
    sentBy: ['page'],
    meaning:
      'The server cannot trust the redirect_uri of the authorization request, so it shows the user a page and does not redirect (RFC 6749 section 4.1.2.1). The page names the reason.',
    retryable: false,
    retry: 'No. The same request always gets the same page.',
    causes: {
      missing: {
        cause: 'client_id or redirect_uri is missing.',
        remedy: 'Send both in the query or in the form body.',
      },
      repeated: {
        cause: 'client_id or redirect_uri was sent twice, perhaps once in the query and once in the body.',
        remedy: 'Send each once.',
      },
      'unknown-client': {
        cause: 'There is no application with this client_id.',
        remedy: 'Compare it with the client_id that the operator gave you.',
      },
      'foreign-environment': {
        cause: 'The client_id is of the sandbox and the address of production, or the reverse.',
        remedy: 'client_ids of the sandbox begin with test_, those of production with live_.',
      },
      suspended: {
        cause: 'The operator suspended your application.',
        remedy: 'Contact the operator.',
      },
      'unregistered-redirect-uri': {
        cause:
          'The redirect_uri differs from every registered one. The page shows what the server received. Addresses are compared character by character: a slash at the end, http instead of https, another port, capitals or a query make them different.',
        remedy:
          'Send exactly a registered address, percent-encoded once. The page does not say what is registered, because anyone can open it. The developer pages do, under Application. A developer of your application adds addresses there; otherwise ask the operator.',
      },
    },
  },
} as const satisfies Record<string, Entry>
