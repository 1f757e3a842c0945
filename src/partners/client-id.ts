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

/** Whether the text has the form of a client_id. The client may be unknown. */
export function isClientId(text: string): boolean {
  return pattern.test(text)
}
