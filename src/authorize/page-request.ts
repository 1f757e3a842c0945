import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { carriedBy } from '../idp/browser-flow.ts'
import { acceptedKeys } from '../secrets/derived-keys.ts'
import type { Texts } from '../web/languages/languages.ts'
import { pageTexts } from '../web/page-texts.ts'
import { type LogoutRequest, unsealLogout } from './logout-request.ts'
import { type Unsealed, unseal } from './sealed-request.ts'

/** What an HTTP request for a page contains about the flow that the page belongs to. */
export type PageRequest = {
  /** From the parameter `request`. `invalid` if that is missing. */
  authorization: Unsealed
  /** From the parameter `logout`. Empty if that is missing. */
  logout: LogoutRequest
  /** In the language that the user has chosen, otherwise in that of `ui_locales`, otherwise in the browser's. */
  texts: Texts
}

const opened = new WeakMap<FastifyRequest, PageRequest>()

/**
 * Unseals the parameters of an HTTP request once. Later calls for the same HTTP request, also from an error page, get
 * the same value. Call it after the body has been parsed.
 */
export function openPageRequest(context: Context, request: FastifyRequest): PageRequest {
  const before = opened.get(request)
  if (before) return before
  const pageRequest = open(context, request)
  opened.set(request, pageRequest)
  return pageRequest
}

function open({ config, keys, now }: Context, request: FastifyRequest): PageRequest {
  const { query, body } = request
  const state = textIn(query, 'state')
  // Our forms send it in the body, our redirects in the query, and providers in the state of a login or logout. The state has
  // a MAC: a parameter that an attacker adds to a callback must not replace what the state carries.
  const carried = state === undefined ? undefined : new URLSearchParams(carriedBy(state))
  const sealedText = (name: string) =>
    (carried ? carried.get(name) : textIn(body ?? query, name)) ?? undefined
  const sealKeys = acceptedKeys(keys, 'seal')
  const sealed = sealedText('request')
  const sealedLogout = sealedText('logout')
  const authorization: Unsealed = sealed === undefined ? { kind: 'invalid' } : unseal(sealed, sealKeys, now())
  const logout = sealedLogout === undefined ? {} : unsealLogout(sealedLogout, sealKeys, now())
  const uiLocales =
    logout.uiLocales ??
    (authorization.kind === 'invalid' ? undefined : authorization.request.uiLocales) ??
    textIn(query, 'ui_locales') ??
    textIn(body, 'ui_locales')
  return { authorization, logout, texts: pageTexts(request, config, uiLocales) }
}

function textIn(form: unknown, name: string): string | undefined {
  if (typeof form !== 'object' || form === null) return undefined
  const value: unknown = Object.entries(form).find(([key]) => key === name)?.[1]
  return typeof value === 'string' ? value : undefined
}
