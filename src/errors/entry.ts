/** One reason for an error, with what the partner's developer can do about it. */
export type Cause = {
  /**
   * The detail or `error_description` of the answer. `{detail}` is replaced by the part that differs between requests. RFC
   * 6749 section 5.2 and RFC 6750 section 3 limit it to printable ASCII characters without quotation mark and backslash.
   * Absent: the answer has a text that only the code knows.
   */
  message?: string
  cause: string
  remedy: string
  /**
   * The part of the page, after `#`. By default the name of the cause with hyphens. Causes that an answer must not
   * distinguish have the same anchor: otherwise the address would say what the message conceals.
   */
  anchor?: string
}

/**
 * Where an error is sent: the API and userinfo; token, revoke and introspect; the redirect to the partner's
 * `redirect_uri`; an error page for the user; the admin API and the developer API.
 */
type SentBy = 'api' | 'oauth2' | 'redirect' | 'page' | 'management'

/** The remedy of every cause that is about sandbox and production. */
export const otherEnvironment =
  'Configure addresses, client and tokens of one environment together. In the sandbox, a client_id begins with test_, a secret or token with lk_test_. In production they begin with live_ and lk_live_.'

/** One error code. */
export type Entry = {
  /** The usual HTTP status. 303 is the redirect to the partner. */
  status: number
  title: string
  sentBy: readonly SentBy[]
  /** What the error says about the request. */
  meaning: string
  /** Whether the same request may succeed later. `retry` says when, or what to do instead. */
  retryable: boolean
  retry: string
  causes: Readonly<Record<string, Cause>>
}
