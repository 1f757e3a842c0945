import type { Texts } from '../languages/languages.ts'
import type { LoginOutcome } from './log-in.ts'

/** Why the password was not checked. */
export function pauseText(
  pause: Extract<LoginOutcome, { kind: 'throttled' | 'busy' }>,
  { login }: Texts,
): string {
  return pause.kind === 'busy' ? login.busy : login.throttled(Math.ceil(pause.retryAfterSeconds / 60))
}
