import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Parameters, printableName, withParameters } from '../http/parameters.ts'
import type { Partner } from '../partners/partners.sql.ts'
import { openJson, sealJson } from '../secrets/seal.ts'
import type { IdTokenHint } from '../tokens/id-token.ts'
import { stateFault } from './authorization-request.ts'
import { sealedLifetimeMs } from './sealed-request.ts'

/** A logout request that passed every check; of one without parameters nothing is left. */
const LogoutRequest = Type.Object({
  clientId: Type.Optional(Type.String()),
  /** Of the `id_token_hint`: this user has asked already, at the partner. */
  subject: Type.Optional(Type.String()),
  /** Registered for the client, both of them checked. */
  returnTo: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  uiLocales: Type.Optional(Type.String()),
})
export type LogoutRequest = Static<typeof LogoutRequest>

export type CheckedLogout =
  | { kind: 'accepted'; request: LogoutRequest }
  /** For the developer of the partner: the user is shown it, and is sent nowhere. */
  | { kind: 'refused'; explanation: string }

/**
 * RP-Initiated Logout section 2, in order. Who holds an id_token of ours, expired or not, is the client it was issued to;
 * who sends a client_id alone may be anybody, so the user will be asked.
 * @throws {DatabaseUnavailable}
 */
export async function checkLogout(
  { values, repeated }: Parameters,
  readHint: (idToken: string) => Promise<IdTokenHint>,
  findPartner: (clientId: string) => Promise<Partner | undefined>,
): Promise<CheckedLogout> {
  const refused = (explanation: string): CheckedLogout => ({ kind: 'refused', explanation })
  const [twice] = repeated
  if (twice !== undefined) return refused(`${printableName(twice)} was sent more than once`)
  const { id_token_hint: idToken, client_id: named, post_logout_redirect_uri: returnTo, state } = values
  const hint = idToken ? await readHint(idToken) : undefined
  if (hint?.kind === 'invalid') return refused('id_token_hint is not an id_token that was issued here')
  if (hint && named && named !== hint.clientId) return refused('id_token_hint was issued to another client')
  const clientId = hint?.clientId ?? (named || undefined)
  const partner = clientId === undefined ? undefined : await findPartner(clientId)
  if (clientId !== undefined && partner?.status !== 'active') {
    return refused('the client is not known here, or is suspended')
  }
  if (returnTo && !partner) return refused('post_logout_redirect_uri needs an id_token_hint or a client_id')
  if (returnTo && !partner?.post_logout_redirect_uris.includes(returnTo)) {
    return refused('post_logout_redirect_uri is not one that is registered for this client')
  }
  const tooLong = stateFault(state)
  if (tooLong) return refused(tooLong)
  const uiLocales = values.ui_locales?.slice(0, 100)
  return {
    kind: 'accepted',
    request: {
      ...(clientId && { clientId }),
      ...(hint && { subject: hint.subject }),
      ...(returnTo && { returnTo }),
      ...(state && { state }),
      ...(uiLocales && { uiLocales }),
    },
  }
}

/** Not to be taken for a sealed authorization request, which is sealed under the same key. */
const Sealed = Type.Object({
  logout: LogoutRequest,
  /** Milliseconds since the epoch. */
  expiresAt: Type.Number(),
})
const sealed = Compile(Sealed)

export function sealLogout(logout: LogoutRequest, key: Buffer, now: Date): Promise<string> {
  const content: Static<typeof Sealed> = { logout, expiresAt: now.getTime() + sealedLifetimeMs }
  return sealJson(content, key)
}

/** What is not sealed, or not any more, is a request without parameters: the user is asked, and returns nowhere. */
export async function unsealLogout(text: string, key: Buffer, now: Date): Promise<LogoutRequest> {
  const content = await openJson(text, key)
  return sealed.Check(content) && content.expiresAt > now.getTime() ? content.logout : {}
}

/** Where the browser goes once nobody is logged in; undefined: it stays. */
export function returnAddress({ returnTo, state }: LogoutRequest): string | undefined {
  return returnTo && state ? withParameters(returnTo, { state }) : returnTo
}
