/** These values depend on each other: read docs/adr/0009 before you change one. */

/** Days after which a key gets a successor. */
export const rotationDays = 90

/** Minutes for which a new key is published before it signs. */
export const leadMinutes = 60

/** Hours for which a key stays published after its successor began to sign. */
export const retirementHours = 24

/** Seconds for which a partner may cache the JWKS. */
export const jwksMaxAgeSeconds = 300

/** Seconds after which every server has taken a removed key out of its JWKS. */
export const watchSeconds = 5

/** Seconds between two refreshes of a server's keys, and the age at which keys in memory are no longer used. */
export const refreshSeconds = 60
export const staleSeconds = 600
