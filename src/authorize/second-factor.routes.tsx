import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { twoFactorAcr } from '../acr.ts'
import { pageOrigin } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { RecoveryCodes } from '../factors/parts.tsx'
import { loginOptions, registerPasskey, registrationOptions } from '../factors/passkeys.ts'
import { endPendingLogin } from '../factors/pending-login.ts'
import { type Evidence, proveFactor, withFactor } from '../factors/prove.ts'
import { provedBrowserOf, rememberProof } from '../factors/proved-browser.ts'
import { newRecoveryCodes } from '../factors/recovery-codes.ts'
import { newTotpSetup, storeTotp } from '../factors/totp.ts'
import { hasUnprovedFactor, mayChangeFactors, requiredAcr } from '../login/factor-step.ts'
import type { Login } from '../login/login.ts'
import { findPartner } from '../partners/partners.sql.ts'
import Type, { type Static } from '../typebox.ts'
import type { Web } from '../web/page-edge.tsx'
import { authorizationFault } from './authorization-request.ts'
import { type Claim, type ClaimPath, claimOf, claimPaths, mayEnrol } from './claim.ts'
import { faultUrl } from './connect.ts'
import { openPageRequest } from './page-request.ts'
import { Destination, nextPage, reseal, withDestination } from './sealed-request.ts'
import { type FactorFault, type Offer, SecondFactorPage } from './second-factor-page.tsx'

const ProofForm = Type.Object({
  method: Type.Union([Type.Literal('passkey'), Type.Literal('totp'), Type.Literal('recovery_code')]),
  code: Type.Optional(Type.String({ maxLength: 64 })),
  credential: Type.Optional(Type.String()),
  ...Destination.properties,
})
const TotpForm = Type.Object({
  sealed: Type.String(),
  code: Type.String({ maxLength: 64 }),
  ...Destination.properties,
})
const PasskeyFormBody = Type.Object({ credential: Type.String(), ...Destination.properties })

/** A request of a browser with a claim, and the page to which it leads afterwards. */
type Exchange = {
  context: Context
  web: Web
  request: FastifyRequest
  reply: FastifyReply
  path: ClaimPath
  destination: Destination
}

/**
 * The pages on which a user proves or sets up a second factor: after the password, before any session exists
 * (`/login/second-factor`), and for a session that is too weak (`/step-up`).
 */
export function secondFactorRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const preValidation = web.ownForm
  for (const path of claimPaths) {
    const exchangeOf = (request: FastifyRequest, reply: FastifyReply, fields: Destination): Exchange => {
      const { request: sealed, page } = fields
      const destination = { ...(sealed && { request: sealed }), ...(page && { page }) }
      return { context, web, request, reply, path, destination }
    }
    app.get<{ Querystring: Destination }>(path, { schema: { querystring: Destination } }, (request, reply) =>
      withClaim(exchangeOf(request, reply, request.query), sendFactorPage),
    )
    app.post<{ Body: Static<typeof ProofForm> }>(
      path,
      { schema: { body: ProofForm }, preValidation },
      (request, reply) =>
        withClaim(exchangeOf(request, reply, request.body), (step) => prove(step, request.body)),
    )
    app.post<{ Body: Static<typeof TotpForm> }>(
      `${path}/totp`,
      { schema: { body: TotpForm }, preValidation },
      (request, reply) =>
        withClaim(exchangeOf(request, reply, request.body), (step) => setUpTotp(step, request.body)),
    )
    app.post<{ Body: Static<typeof PasskeyFormBody> }>(
      `${path}/passkey`,
      { schema: { body: PasskeyFormBody }, preValidation },
      (request, reply) =>
        withClaim(exchangeOf(request, reply, request.body), (step) => addPasskey(step, request.body)),
    )
    app.post<{ Body: Destination }>(
      `${path}/leave`,
      { schema: { body: Destination }, preValidation },
      (request, reply) => withClaim(exchangeOf(request, reply, request.body), leave),
    )
  }
}

type ClaimStep = Exchange & { claim: Claim }

async function withClaim(
  exchange: Exchange,
  work: (step: ClaimStep) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const found = await claimOf(exchange)
  if (found.kind === 'redirect') return exchange.reply.redirect(found.to, 303)
  return work({ ...exchange, claim: found })
}

async function prove(step: ClaimStep, fields: Static<typeof ProofForm>): Promise<FastifyReply> {
  const { context, request, reply, claim } = step
  const { login } = claim
  const { method, credential = '', code = '' } = fields
  const evidence: Evidence = { method, text: method === 'passkey' ? credential : code }
  const provedBrowser = provedBrowserOf(request, context, login)
  const claimant = {
    userId: login.userId,
    address: request.ip,
    provedBrowser,
  }
  const outcome = await proveFactor(context, claimant, evidence, { use: 'second-factor', owner: claim.owner })
  request.log.info({
    event: 'second_factor',
    outcome: outcome.kind,
    method: evidence.method,
    user_id: login.userId,
    ...(outcome.kind === 'refused' && { reason: outcome.reason }),
  })
  switch (outcome.kind) {
    case 'proved': {
      rememberProof(reply, context, login)
      const stronger: Login = { ...login, ...withFactor(login, evidence.method) }
      return reply.redirect(await claim.advance(stronger, evidence.method), 303)
    }
    case 'throttled':
      reply.header('retry-after', String(outcome.retryAfterSeconds))
      return sendFactorPage(step, outcome)
    case 'refused':
      return sendFactorPage(step, { kind: 'wrong', method: evidence.method })
  }
}

async function setUpTotp(step: ClaimStep, fields: Static<typeof TotpForm>): Promise<FastifyReply> {
  const { context, reply, destination, path, claim } = step
  if (!mayEnrol(claim)) return reply.redirect(withDestination(path, destination), 303)
  const { login } = claim
  const stored = await storeTotp(context, pageOrigin(step.request, login.userId), login.userId, fields)
  logEnrolment(step, 'totp', stored ? 'stored' : 'refused')
  if (!stored) return sendFactorPage(step, { kind: 'wrong', method: 'totp_setup' }, fields.sealed)
  rememberProof(step.reply, context, login)
  return sendRecoveryCodes(step, await claim.advance({ ...login, ...withFactor(login, 'totp') }, 'totp'))
}

async function addPasskey(step: ClaimStep, fields: Static<typeof PasskeyFormBody>): Promise<FastifyReply> {
  const { context, web, request, reply, destination, path, claim } = step
  if (!mayEnrol(claim)) return reply.redirect(withDestination(path, destination), 303)
  const name = web.texts(request).security.unnamed
  const input = { userId: claim.login.userId, json: fields.credential, name }
  const outcome = await registerPasskey(
    context,
    pageOrigin(request, input.userId),
    { use: 'register', owner: claim.owner },
    input,
  )
  logEnrolment(step, 'passkey', outcome.kind, outcome.kind === 'refused' ? outcome.reason : undefined)
  if (outcome.kind === 'refused') return sendFactorPage(step, { kind: 'wrong', method: 'passkey' })
  // The registration does not prove that the user has the key: without attestation, nothing in it is signed. The page for
  // the second factor comes next, and the user uses the passkey there.
  return sendRecoveryCodes(step, withDestination(path, destination))
}

/** The partner only prefers the factor (`acr_values`). */
function isOptional({ step }: Claim): boolean {
  return step.kind === 'prove' && step.optional
}

function logEnrolment({ request, claim }: ClaimStep, method: string, outcome: string, reason?: string): void {
  const user_id = claim.login.userId
  request.log.info({ event: 'add_factor', method, outcome, user_id, ...(reason && { reason }) })
}

/** Shows the first recovery codes of a user who had no second factor until now. */
async function sendRecoveryCodes(step: ClaimStep, next: string): Promise<FastifyReply> {
  const { context, web, request, reply, claim } = step
  const { has_passkey: hasPasskey, has_totp: hasTotp } = claim.facts
  if (hasPasskey || hasTotp) return reply.redirect(next, 303)
  const { texts } = openPageRequest(context, request)
  const codes = await newRecoveryCodes(context, pageOrigin(request, claim.login.userId), claim.login.userId)
  const title = texts.secondFactor.codes.heading
  return web.page({ reply, texts, title, body: <RecoveryCodes codes={codes} next={next} texts={texts} /> })
}

/**
 * Goes on without the factor that the partner only prefers. If it is required, the partner gets an error
 * (OpenID Connect Core Unmet Authentication Requirements 1.0), and the login is forgotten.
 */
async function leave({
  context,
  request,
  reply,
  path,
  destination,
  claim,
}: ClaimStep): Promise<FastifyReply> {
  const { authorization } = openPageRequest(context, request)
  request.log.info({ event: 'second_factor', outcome: 'left', user_id: claim.login.userId })
  if (isOptional(claim)) {
    if (path === '/login/second-factor') return reply.redirect(await claim.advance(claim.login, 'totp'), 303)
    const resealed = await reseal(context, authorization, true)
    return reply.redirect(nextPage(resealed ? { request: resealed } : destination), 303)
  }
  if (path === '/login/second-factor') endPendingLogin(context, reply)
  if (authorization.kind !== 'open')
    return reply.redirect(path === '/step-up' ? '/connections' : '/login', 303)
  const fault = authorizationFault('second_factor_refused')
  return reply
    .header('cache-control', 'no-store')
    .redirect(faultUrl(authorization.request, context.config, fault), 303)
}

/** @param sealedTotp the secret that the page showed before, if the user mistyped its code */
async function sendFactorPage(
  step: ClaimStep,
  fault?: FactorFault,
  sealedTotp?: string,
): Promise<FastifyReply> {
  const { context, web, request, reply, path, destination, claim } = step
  const { authorization, texts } = openPageRequest(context, request)
  const wanted = authorization.kind === 'open' ? authorization.request : undefined
  const partner = wanted && (await context.database.maybe(findPartner, [wanted.clientId]))
  const optional = isOptional(claim)
  const offer = await offerFor(step, sealedTotp)
  const body = (
    <SecondFactorPage
      path={path}
      destination={destination}
      csrf={web.csrfToken(reply)}
      texts={texts}
      email={claim.login.email}
      partnerName={optional || partner?.require_acr ? partner?.name : undefined}
      optional={optional}
      offer={offer}
      fault={fault}
    />
  )
  const { heading, enrol } = texts.secondFactor
  const title = offer.passkey || offer.totp ? heading : enrol.heading
  const status = fault === undefined ? 200 : fault.kind === 'throttled' ? 429 : 403
  // Without this, Chromium blocks the redirect to the partner after the button that leaves the page.
  const formAction = wanted && new URL(wanted.redirectUri).protocol
  return web.page({ reply, texts, status, title, body, passkeys: true, ...(formAction && { formAction }) })
}

async function offerFor({ context, web, claim }: ClaimStep, sealedTotp: string | undefined): Promise<Offer> {
  const { login, facts, owner } = claim
  const { userId, email } = login
  const unproved = hasUnprovedFactor(login, facts)
  const passkey = facts.has_passkey
    ? await loginOptions(context, { use: 'second-factor', owner }, userId)
    : undefined
  // After the code of an app, a recovery code still helps a user who has lost the passkey.
  const recoveryCode = unproved || (!isOptional(claim) && !mayChangeFactors(login, facts))
  const offer = { passkey, totp: unproved && facts.has_totp, recoveryCode }
  if (!mayEnrol(claim)) return offer
  const rpName = web.brand.name
  const isTotpEnough = requiredAcr(facts, claim.acrRequest) === twoFactorAcr
  return {
    ...offer,
    enrol: {
      passkey: await registrationOptions(context, { use: 'register', owner }, { userId, rpName }),
      totp: isTotpEnough ? newTotpSetup(context, { userId, email, issuer: rpName }, sealedTotp) : undefined,
    },
  }
}
