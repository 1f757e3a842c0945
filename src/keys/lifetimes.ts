/** docs/adr/0009 says how these hang together: change one, and read it. */

/** Days after which a key is followed by the next. */
export const rotationDays = 90

/** Minutes in which a new key is published and does not sign yet. */
export const leadMinutes = 60

/** Hours for which a key is still published after its successor began to sign. */
export const retirementHours = 24

/** Seconds for which a partner may keep the JWKS. */
export const jwksMaxAgeSeconds = 300

/** Seconds between two refreshes of a server's keys, and the age at which they are not used any more. */
export const refreshSeconds = 60
export const staleSeconds = 600
