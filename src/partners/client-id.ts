import type { Environment } from '../config.ts'
import { anyMark, foreignTo, markOf } from '../environment.ts'
import { randomId } from '../secrets/token-format.ts'

const form = new RegExp(`^${anyMark}_[0-9A-Za-z]{22}$`)

/** `test_…` in the sandbox, `live_…` in production: a client_id at the wrong door can be told so. */
export function newClientId(environment: Environment): string {
  return `${markOf(environment)}_${randomId()}`
}

/** The other environment, when the client_id is one of its. */
export function foreignEnvironment(clientId: string, environment: Environment): Environment | undefined {
  return foreignTo(environment, form.exec(clientId)?.[1])
}

/** Whether the text has the form of a client_id, known or not. */
export function isClientId(text: string): boolean {
  return form.test(text)
}
