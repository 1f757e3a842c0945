import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { unsealLogout } from './logout-request.ts'
import { unseal } from './sealed-request.ts'

/** The languages that the partner asked for, wherever in the flow a request stands: as a parameter, or sealed. */
export async function uiLocalesOf(
  { query, body }: FastifyRequest,
  { keys, now }: Pick<Context, 'keys' | 'now'>,
): Promise<string | undefined> {
  const given = (name: string) => textIn(query, name) ?? textIn(body, name)
  const logout = given('logout')
  if (logout !== undefined) return (await unsealLogout(logout, keys.seal, now())).uiLocales
  const sealed = given('request')
  if (sealed === undefined) return given('ui_locales')
  const opened = await unseal(sealed, keys.seal, now())
  return opened.kind === 'invalid' ? undefined : opened.request.uiLocales
}

function textIn(form: unknown, name: string): string | undefined {
  if (typeof form !== 'object' || form === null) return undefined
  const value: unknown = Object.entries(form).find(([key]) => key === name)?.[1]
  return typeof value === 'string' ? value : undefined
}
