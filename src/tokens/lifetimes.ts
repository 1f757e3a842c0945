/** Seconds in which a code can be redeemed. */
export const codeSeconds = 60

/** Contract, section 8. */
export const accessTokenSeconds = 3600
export const refreshTokenDays = 30

/** Seconds in which a rotated refresh token may be presented again whatever became of its successor (docs/adr/0005). */
export const rotationGraceSeconds = 60
