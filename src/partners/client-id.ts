import type { Environment } from '../config.ts'
import { anyMark, foreignTo, markOf } from '../environment.ts'
import { randomId } from '../secrets/token-format.ts'

const pattern = new RegExp(`^${anyMark}_[0-9A-Za-z]{22}$`)

/** `test_…` in the sandbox, `live_…` in production. The server recognises a client_id of the other environment. */
export function newClientId(environment: Environment): string {
  return `${markOf(environment)}_${randomId()}`
}

/** Returns the other environment if the client_id belongs to it. */
export function foreignEnvironment(clientId: string, environment: Environment): Environment | undefined {
  return foreignTo(environment, pattern.exec(clientId)?.[1])
}

/** Whether the text has the form of a client_id that this service makes. The client may be unknown. */
export function isClientId(text: string): boolean {
  return pattern.test(text)
}

/**
 * Whether the text may be the client_id of a partner that was taken over from another service. It does not show an
 * environment. A secret or token of this service is never one.
 */
export function isForeignClientId(text: string): boolean {
  return !isClientId(text) && /^(?!lk_)[0-9A-Za-z][0-9A-Za-z._~-]{2,99}$/.test(text)
}
