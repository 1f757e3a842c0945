import { accessNonceMinutes, accessTokenSeconds } from './lifetimes.ts'

/** Seconds by which moments may differ: expiries are rounded up, and a statement may have waited for another one. */
const tolerance = 60

const ofCurrent = accessNonceMinutes * 60 + accessTokenSeconds + tolerance
const ofPrevious = accessTokenSeconds + tolerance

/**
 * SQL: whether an access token is one that was issued with a nonce that the connection `c` still has. The expiry is compared
 * too: a nonce is replaced at the first refresh after 61 minutes, so a later expiry was never issued. Without this, an old
 * token and a stolen secret would be worth a new token for as long as the client does not refresh (docs/adr/0019).
 */
export const isIssuedToken = (nonce: string, expiresAt: string) => `(
    ${nonce} = c.access_nonce AND ${expiresAt} <= c.access_nonce_at + interval '${ofCurrent} seconds'
    OR ${nonce} = c.previous_access_nonce AND ${expiresAt} <= c.access_nonce_at + interval '${ofPrevious} seconds'
  ) IS TRUE`
