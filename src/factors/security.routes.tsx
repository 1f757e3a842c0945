import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { originValue, pageOrigin } from '../audit/origin.ts'
import type { Context } from '../context.ts'
import { mayChangeFactors, ownRequirement } from '../login/factor-step.ts'
import { sendAccountPage } from '../sessions/account-page.tsx'
import type { Session } from '../sessions/sessions.sql.ts'
import { isRecent, liveSession, strengthen } from '../sessions/sessions.ts'
import Type, { type Static } from '../typebox.ts'
import { checkVisible } from '../visible-text.ts'
import type { Web } from '../web/page-edge.tsx'
import { countRecoveryCodes } from './factors.sql.ts'
import { RecoveryCodes } from './parts.tsx'
import { deletePasskey, passkeysOfUser } from './passkeys.sql.ts'
import { registerPasskey, registrationOptions } from './passkeys.ts'
import { withFactor } from './prove.ts'
import { rememberProof } from './proved-browser.ts'
import { newRecoveryCodes } from './recovery-codes.ts'
import { maxPasskeyName, type SecurityNotice, SecuritySettings, TotpPage } from './security-page.tsx'
import { deleteTotpSecret } from './totp.sql.ts'
import { newTotpSetup, storeTotp } from './totp.ts'

const NoticeQuery = Type.Object({
  done: Type.Optional(
    Type.Union([
      Type.Literal('passkey'),
      Type.Literal('removed'),
      Type.Literal('totp'),
      Type.Literal('totpRemoved'),
    ]),
  ),
})
const PasskeyBody = Type.Object({ credential: Type.String(), name: Type.Optional(Type.String()) })
const RemoveBody = Type.Object({ id: Type.String({ pattern: '^[0-9]{1,18}$' }) })
const TotpBody = Type.Object({ sealed: Type.String(), code: Type.String({ maxLength: 64 }) })

const securityPage = '/security'

type Owner = Session & { hash: Buffer }
type Exchange = { context: Context; web: Web; request: FastifyRequest; reply: FastifyReply; session: Owner }

/** The page on which users add and remove their second factors. */
export function securityRoutes(app: FastifyInstance, context: Context, web: Web): void {
  const preValidation = web.ownForm

  app.get<{ Querystring: Static<typeof NoticeQuery> }>(
    securityPage,
    { schema: { querystring: NoticeQuery } },
    async (request, reply) => {
      const session = await liveSession(request, context)
      if (!session) return reply.redirect('/login?page=security', 303)
      return sendSettings({ context, web, request, reply, session }, { notice: request.query.done })
    },
  )

  const change = (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (exchange: Exchange) => Promise<FastifyReply>,
  ) => changeSettings({ context, web, request, reply }, work)
  app.get('/security/totp', (request, reply) => change(request, reply, sendTotpPage))
  app.post<{ Body: Static<typeof TotpBody> }>(
    '/security/totp',
    { schema: { body: TotpBody }, preValidation },
    (request, reply) => change(request, reply, (exchange) => setUpTotp(exchange, request.body)),
  )
  app.post('/security/totp/remove', { preValidation }, (request, reply) => change(request, reply, removeTotp))
  app.post<{ Body: Static<typeof PasskeyBody> }>(
    '/security/passkeys',
    { schema: { body: PasskeyBody }, preValidation },
    (request, reply) => change(request, reply, (exchange) => addPasskey(exchange, request.body)),
  )
  app.post<{ Body: Static<typeof RemoveBody> }>(
    '/security/passkeys/remove',
    { schema: { body: RemoveBody }, preValidation },
    (request, reply) => change(request, reply, (exchange) => removePasskey(exchange, request.body)),
  )
  app.post('/security/recovery-codes', { preValidation }, (request, reply) =>
    change(request, reply, replaceCodes),
  )
}

/** A change happens only soon after a login that is strong enough (`mayChangeFactors`). */
async function changeSettings(
  exchange: Omit<Exchange, 'session'>,
  work: (exchange: Exchange) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { context, request, reply } = exchange
  const session = await liveSession(request, context)
  if (!session) return reply.redirect('/login?page=security', 303)
  if (!mayChange(session, context)) return reply.redirect(confirmationPage(session, context), 303)
  return work({ ...exchange, session })
}

function mayChange(session: Owner, { now }: Context): boolean {
  return isRecent(session, now()) && mayChangeFactors(session, session)
}

/** A recent login lacks only the second factor; an old one is made again. */
function confirmationPage(session: Owner, { now }: Context): string {
  return isRecent(session, now()) ? '/step-up?page=security' : '/login?page=security'
}

async function removeTotp({ context, request, reply, session }: Exchange): Promise<FastifyReply> {
  const removed = await context.database.maybe(deleteTotpSecret, [
    session.user_id,
    context.config.mail !== undefined,
    originValue(pageOrigin(request, session.user_id)),
  ])
  log(request, session, 'remove_factor', 'totp', removed !== undefined)
  return reply.redirect('/security?done=totpRemoved', 303)
}

async function removePasskey(
  { context, request, reply, session }: Exchange,
  { id }: Static<typeof RemoveBody>,
): Promise<FastifyReply> {
  const removed = await context.database.maybe(deletePasskey, [
    session.user_id,
    id,
    context.config.mail !== undefined,
    originValue(pageOrigin(request, session.user_id)),
  ])
  log(request, session, 'remove_factor', 'passkey', removed !== undefined)
  return reply.redirect('/security?done=removed', 303)
}

async function replaceCodes(exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, session } = exchange
  if (isFirstFactor(session)) return reply.redirect(securityPage, 303)
  log(request, session, 'new_recovery_codes', 'recovery_code', true)
  return sendCodes(exchange, securityPage)
}

async function setUpTotp(exchange: Exchange, fields: Static<typeof TotpBody>): Promise<FastifyReply> {
  const { context, request, reply, session } = exchange
  const stored = await storeTotp(context, pageOrigin(request, session.user_id), session.user_id, fields)
  log(request, session, 'add_factor', 'totp', stored)
  if (!stored) return sendTotpPage(exchange, fields.sealed)
  // The code that the user has just typed is a second factor of this session too.
  await strengthen(context, request, reply, session, withFactor(session, 'totp'), null)
  rememberProof(reply, context, { userId: session.user_id, loginVersion: session.login_version })
  return isFirstFactor(session)
    ? sendCodes(exchange, '/security?done=totp')
    : reply.redirect('/security?done=totp', 303)
}

async function addPasskey(exchange: Exchange, fields: Static<typeof PasskeyBody>): Promise<FastifyReply> {
  const { context, web, request, reply, session } = exchange
  const texts = web.texts(request)
  const name = fields.name?.trim() || texts.security.unnamed
  const isNameFit = name.length <= maxPasskeyName && checkVisible(name) === null
  const input = { userId: session.user_id, json: fields.credential, name }
  const outcome = isNameFit
    ? await registerPasskey(context, pageOrigin(request, session.user_id), purposeOf(session), input)
    : ({ kind: 'refused', reason: 'name' } as const)
  const reason = outcome.kind === 'refused' ? outcome.reason : undefined
  log(request, session, 'add_factor', 'passkey', outcome.kind === 'stored', reason)
  if (outcome.kind === 'refused') return sendSettings(exchange, { fault: texts.secondFactor.enrol.failed })
  return isFirstFactor(session)
    ? sendCodes(exchange, '/security?done=passkey')
    : reply.redirect('/security?done=passkey', 303)
}

function isFirstFactor({ has_passkey: hasPasskey, has_totp: hasTotp }: Owner): boolean {
  return !hasPasskey && !hasTotp
}

function purposeOf({ hash }: Owner) {
  return { use: 'register', owner: hash.toString('base64url') } as const
}

function log(
  request: FastifyRequest,
  { user_id }: Owner,
  event: 'add_factor' | 'remove_factor' | 'new_recovery_codes',
  method: string,
  isDone: boolean,
  reason?: string,
): void {
  const outcome = isDone ? 'done' : 'refused'
  request.log.info({ event, method, outcome, user_id, ...(reason && { reason }) })
}

async function sendSettings(
  { context, web, reply, session }: Exchange,
  { notice, fault }: { notice?: SecurityNotice | undefined; fault?: string },
): Promise<FastifyReply> {
  const { database } = context
  const passkeys = await database.run(passkeysOfUser, [session.user_id])
  const codes = await database.maybe(countRecoveryCodes, [session.user_id])
  const owner = { userId: session.user_id, rpName: web.brand.name }
  const registration = mayChange(session, context)
    ? await registrationOptions(context, purposeOf(session), owner)
    : undefined
  return sendAccountPage({
    web,
    reply,
    session,
    page: 'security',
    status: fault === undefined ? 200 : 400,
    localTimes: true,
    passkeys: true,
    body: (csrf, texts) => (
      <SecuritySettings
        required={ownRequirement(session, session)}
        passkeys={passkeys}
        hasTotp={session.has_totp}
        codesLeft={codes?.left}
        registration={registration}
        confirmAt={confirmationPage(session, context)}
        notice={notice}
        fault={fault}
        csrf={csrf}
        texts={texts}
      />
    ),
  })
}

/** @param again the sealed secret of the page before, if the user mistyped the code */
async function sendTotpPage(exchange: Exchange, again?: string): Promise<FastifyReply> {
  const { context, web, reply, session } = exchange
  const { user_id: userId, email } = session
  const setup = newTotpSetup(context, { userId, email, issuer: web.brand.name }, again)
  const isWrong = again !== undefined
  return sendAccountPage({
    web,
    reply,
    session,
    page: 'security',
    status: isWrong ? 403 : 200,
    body: (csrf, texts) => <TotpPage setup={setup} csrf={csrf} texts={texts} isWrong={isWrong} />,
  })
}

async function sendCodes(
  { context, web, request, reply, session }: Exchange,
  next: string,
): Promise<FastifyReply> {
  const texts = web.texts(request)
  const codes = await newRecoveryCodes(context, pageOrigin(request, session.user_id), session.user_id)
  const title = texts.secondFactor.codes.heading
  return web.page({ reply, texts, title, body: <RecoveryCodes codes={codes} next={next} texts={texts} /> })
}
