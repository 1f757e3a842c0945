import type { Context } from '../context.ts'
import type { PasswordOwner } from '../directory/new-password.ts'

/** The user who chooses a new password on one of the pages. */
export function passwordOwner(
  { config }: Pick<Context, 'config'>,
  user: Omit<PasswordOwner, 'service'>,
): PasswordOwner {
  return { ...user, service: config.brand.name }
}
