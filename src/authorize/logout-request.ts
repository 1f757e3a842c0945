import { type Parameters, printableName, withParameters } from '../http/parameters.ts'
import type { Partner } from '../partners/partners.sql.ts'
import { openJson, sealJson } from '../secrets/seal.ts'
import type { IdTokenHint } from '../tokens/id-token.ts'
import Type, { Compile, type Static } from '../typebox.ts'
import { isStateTooLong } from './authorization-request.ts'
import { sealedLifetimeMs } from './sealed-request.ts'

/** A logout request that passed every check. It is empty if the request had no parameters. */
const LogoutRequest = Type.Object({
  clientId: Type.Optional(Type.String()),
  /** From the `id_token_hint`: this user has already confirmed the logout, at the partner. */
  subject: Type.Optional(Type.String()),
  /** A post-logout redirect URI that is registered for the client. */
  returnTo: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  uiLocales: Type.Optional(Type.String()),
})
export type LogoutRequest = Static<typeof LogoutRequest>

export type CheckedLogout =
  | { kind: 'accepted'; request: LogoutRequest }
  /** The explanation is for the partner's developer. It is shown on an error page, and nothing is redirected. */
  | { kind: 'refused'; explanation: string }

/**
 * The checks of RP-Initiated Logout 1.0 section 2. An id_token, even an expired one, shows that the request comes from
 * the client to which the token was issued. Anyone can send a client_id alone. In that case the user must confirm.
 * @throws {DatabaseUnavailable}
 */
export async function checkLogout(
  { values, repeated }: Parameters,
  readHint: (idToken: string) => Promise<IdTokenHint>,
  findPartner: (clientId: string) => Promise<Partner | undefined>,
): Promise<CheckedLogout> {
  const refused = (explanation: string): CheckedLogout => ({ kind: 'refused', explanation })
  const [duplicate] = repeated
  if (duplicate !== undefined) return refused(`${printableName(duplicate)} was sent more than once`)
  const { id_token_hint: idToken, client_id: sentId, post_logout_redirect_uri: returnTo, state } = values
  const hint = idToken ? await readHint(idToken) : undefined
  if (hint?.kind === 'invalid') return refused('id_token_hint is not an id_token that this server issued')
  if (hint && sentId && sentId !== hint.clientId) return refused('id_token_hint was issued to another client')
  const clientId = hint?.clientId ?? (sentId || undefined)
  const partner = clientId === undefined ? undefined : await findPartner(clientId)
  if (clientId !== undefined && partner?.status !== 'active') {
    return refused('the client is unknown or suspended')
  }
  if (returnTo && !partner) return refused('post_logout_redirect_uri requires id_token_hint or client_id')
  if (returnTo && !partner?.post_logout_redirect_uris.includes(returnTo)) {
    return refused('post_logout_redirect_uri is not registered for this client')
  }
  if (isStateTooLong(state)) return refused('state is longer than 4096 bytes.')
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

/** Must differ from the schema of a sealed authorization request, because both are sealed with the same key. */
const Sealed = Type.Object({
  logout: LogoutRequest,
  /** Milliseconds since the epoch. */
  expiresAt: Type.Number(),
})
const sealed = Compile(Sealed)

export function sealLogout(logout: LogoutRequest, key: Buffer, now: Date): string {
  const content: Static<typeof Sealed> = { logout, expiresAt: now.getTime() + sealedLifetimeMs }
  return sealJson(content, key)
}

/** An invalid or expired text gives an empty request: the user must confirm, and nothing is redirected. */
export function unsealLogout(text: string, keys: readonly Buffer[], now: Date): LogoutRequest {
  const content = openJson(text, keys)
  return sealed.Check(content) && content.expiresAt > now.getTime() ? content.logout : {}
}

/** The address of the redirect after the logout, or undefined to show our own page. */
export function returnAddress({ returnTo, state }: LogoutRequest): string | undefined {
  return returnTo && state ? withParameters(returnTo, { state }) : returnTo
}
