/** Seconds for which a code is valid. */
export const codeSeconds = 60

/** Contract, section 8. */
export const accessTokenSeconds = 3600
export const refreshTokenDays = 30

/** Seconds for which a rotated refresh token is accepted again, even if its successor was used (docs/adr/0005). */
export const rotationGraceSeconds = 60
