/** Seconds for which a code is valid. */
export const codeSeconds = 60

/** Contract, section 8. */
export const accessTokenSeconds = 3600
export const refreshTokenDays = 30

/**
 * Seconds. For so long after a rotation, the predecessor gets the successor with the same text, and every older token that
 * was rotated since gets the newest token. An older token may get it for up to twice as long (docs/adr/0019).
 */
export const rotationGraceSeconds = 60

/** The text of a successor stays the same for `rotationGraceSeconds`, and must be valid for 30 days from every answer. */
export const refreshTokenSeconds = refreshTokenDays * 24 * 3600 + rotationGraceSeconds

/**
 * Minutes after which a refresh replaces the access nonce. A nonce stays for at least as long again as the previous one. A
 * token that was issued just before the replacement is therefore live until it expires.
 */
export const accessNonceMinutes = accessTokenSeconds / 60 + 1
