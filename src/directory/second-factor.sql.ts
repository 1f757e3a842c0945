/** SQL for whether the user with this id has a second factor. */
export const hasSecondFactor = (userId: string) =>
  `(EXISTS (SELECT FROM passkeys WHERE user_id = ${userId}) OR EXISTS (SELECT FROM totp_secrets WHERE user_id = ${userId}))`
