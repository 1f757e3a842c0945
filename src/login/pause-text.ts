import type { Texts } from '../languages/languages.ts'
import type { LoginOutcome } from './log-in.ts'

/** Why a password was not even looked at. */
export function pauseText(
  pause: Extract<LoginOutcome, { kind: 'throttled' | 'busy' }>,
  { login }: Texts,
): string {
  return pause.kind === 'busy' ? login.busy : login.throttled(Math.ceil(pause.retryAfterSeconds / 60))
}
