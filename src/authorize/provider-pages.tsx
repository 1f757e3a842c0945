import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import type { ProviderFault, ProviderOutcome } from '../idp/complete-login.ts'
import type { Provider } from '../idp/providers.sql.ts'
import type { LoginOutcome } from '../login/log-in.ts'
import { pauseText, refusalStatus } from '../login/refusal.ts'
import type { RecoveryLink } from '../web/error-page.tsx'
import type { Texts } from '../web/languages/languages.ts'
import type { Web } from '../web/page-edge.tsx'
import { ReceivedText, TechnicalLine } from '../web/parts.tsx'
import { type Destination, loginPage } from './sealed-request.ts'

/** Leads to the provider without script. */
export function LeavingPage(props: { texts: Texts; heading: string; provider: string; address: string }) {
  const { idp } = props.texts
  return (
    <>
      <h1>{props.heading}</h1>
      <p>
        <a class="button" href={props.address}>
          <span>{idp.continueWith(<bdi>{props.provider}</bdi>)}</span>
        </a>
      </p>
    </>
  )
}

type Exchange = {
  web: Web
  request: FastifyRequest
  reply: FastifyReply
  texts: Texts
  provider: Provider
  destination: Destination
}

/** The provider cannot be used. Offers another attempt and, where users have passwords, that way. */
export function sendProviderFault(content: Exchange & { fault: ProviderFault }): FastifyReply {
  const { request, reply, texts, provider, destination, fault } = content
  const details = {
    event: 'provider_login',
    outcome: fault.kind,
    provider: provider.id,
    reason: fault.reason,
  }
  if (fault.kind === 'rejected') request.log.warn(details)
  else request.log.error(details)
  if (fault.kind === 'unavailable') reply.header('retry-after', '5')
  const { heading, text } = texts.idp[fault.kind]
  const body = (
    <>
      <p>{text(<bdi>{provider.name}</bdi>)}</p>
      {provider.allows_passwords && fault.kind !== 'rejected' && (
        <p>
          <a href={loginPage(destination, 'password')}>{texts.idp.usePassword}</a>
        </p>
      )}
    </>
  )
  const recoveryLink = { label: texts.errors.tryAgain, href: loginPage(destination, 'account') }
  return sendPage(content, { status: statusOf(fault), heading, text: body, recoveryLink })
}

function statusOf({ kind }: ProviderFault): number {
  return { unavailable: 503, misconfigured: 502, rejected: 400 }[kind]
}

type Refusal = Exclude<ProviderOutcome, ProviderFault | { kind: 'welcome' }>

/** The provider logged someone in, or did not, and no session was opened. */
export function sendRefusal(content: Exchange & { refusal: Refusal }): FastifyReply {
  const { texts, provider, destination, refusal } = content
  const { idp } = texts
  const name = <bdi>{provider.name}</bdi>
  const again = { label: texts.errors.tryAgain, href: loginPage(destination) }
  const other = { label: idp.useOtherAccount, href: loginPage(destination, 'account') }
  switch (refusal.kind) {
    case 'declined': {
      const isCancelled = refusal.error === 'access_denied'
      const text = (
        <>
          <p>{isCancelled ? idp.declined.cancelled(name) : idp.declined.failed(name)}</p>
          {!isCancelled && <TechnicalLine>{printable(refusal.error)}</TechnicalLine>}
        </>
      )
      const { heading } = idp.declined
      return sendPage(content, {
        status: 403,
        heading,
        text,
        recoveryLink: { ...again, href: other.href },
      })
    }
    case 'stale': {
      const { heading, text } = idp.stale
      return sendPage(content, {
        status: 403,
        heading,
        text: <p>{text(name)}</p>,
        recoveryLink: again,
      })
    }
    default: {
      const { heading, text, remedy } = idp[refusal.kind]
      const body = (
        <>
          <p>{text(name, <ReceivedText>{refusal.account}</ReceivedText>)}</p>
          <p>{remedy(name)}</p>
        </>
      )
      return sendPage(content, { status: 403, heading, text: body, recoveryLink: other })
    }
  }
}

/** An error code has only these characters (RFC 6749 section 4.1.2.1). */
function printable(code: string): string {
  return /^[\x20-\x7e]+$/.test(code) ? code : 'unknown error'
}

/** Too many logins through providers from this source have failed. */
export function sendPause(
  content: Exchange & { pause: Extract<LoginOutcome, { kind: 'throttled' }> },
): FastifyReply {
  const { request, reply, texts, provider, destination, pause } = content
  request.log.warn({ event: 'provider_login', outcome: pause.kind, provider: provider.id })
  const recoveryLink = { label: texts.errors.tryAgain, href: loginPage(destination) }
  const { heading } = texts.idp.unavailable
  const text = <p>{pauseText(pause, texts)}</p>
  return sendPage(content, { status: refusalStatus(reply, pause), heading, text, recoveryLink })
}

/** The callback does not belong to a login that this browser started. */
export function sendForeignCallback(content: Omit<Exchange, 'provider'>): FastifyReply {
  const { texts, destination } = content
  const { heading, text } = texts.idp.foreign
  const recoveryLink = { label: texts.errors.tryAgain, href: loginPage(destination) }
  return sendPage(content, { status: 400, heading, text: <p>{text}</p>, recoveryLink })
}

function sendPage(
  { web, reply, texts, destination }: Omit<Exchange, 'provider'>,
  page: { status: number; heading: string; text: ComponentChildren; recoveryLink: RecoveryLink },
): FastifyReply {
  // Another language is chosen on the login page: a callback works only once.
  return web.errorPage({ reply, texts, ...page, here: loginPage(destination, 'account') })
}
