import type { Environment } from '../config.ts'
import { randomId } from '../secrets/token-format.ts'

const marks = { sandbox: 'test', production: 'live' } as const

/** `test_…` in the sandbox, `live_…` in production: a client_id at the wrong door can be told so. */
export function newClientId(environment: Environment): string {
  return `${marks[environment]}_${randomId()}`
}

/** The other environment, when the client_id is one of its. */
export function foreignEnvironment(clientId: string, environment: Environment): Environment | undefined {
  const other = environment === 'sandbox' ? 'production' : 'sandbox'
  return new RegExp(`^${marks[other]}_[0-9A-Za-z]{22}$`).test(clientId) ? other : undefined
}

/** Whether the text has the form of a client_id, known or not. */
export function isClientId(text: string): boolean {
  return /^(test|live)_[0-9A-Za-z]{22}$/.test(text)
}
