import type { Context } from '../context.ts'
import type { PasswordOwner } from '../directory/new-password.ts'

/** The user who chooses a new password on one of the pages. No user has a second factor yet. */
export function passwordOwner(
  { config }: Pick<Context, 'config'>,
  { name, email }: { name: string; email: string },
): PasswordOwner {
  return { name, email, service: config.brand.name, hasSecondFactor: false }
}
