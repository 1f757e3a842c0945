import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { listDeveloperKeys } from '../developer-keys/developer-keys.sql.ts'
import { allows } from '../developer-keys/roles.ts'
import { KeysForm, NewSecretPage, SecretForm } from '../panel/credential-forms.tsx'
import { DoneQuery, formText } from '../panel/fields.ts'
import { endOldSecrets } from '../partners/end-old-secrets.ts'
import { findListedPartner } from '../partners/partners.sql.ts'
import { replacePartnerKeys, rotatePartnerSecret } from '../partners/partners.ts'
import { toPage } from '../people/person-page.ts'
import Type, { type Static } from '../typebox.ts'
import { secretRotations } from './credentials.sql.ts'
import { CredentialsPage } from './credentials-page.tsx'
import { developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { appUrl, showMissing } from './parts.tsx'
import { appAddress } from './shell.tsx'

const url = `${appUrl}/credentials` as const
const addressOf = (clientId: string) => appAddress({ clientId }, '/credentials')
const backTo = (clientId: string) => ({ label: 'Credentials', href: addressOf(clientId) })

/** How an application proves to be itself: secrets and keys. */
export function credentialRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  overview(app, context, web)
  rotation(app, context, web)
  oldSecret(app, context, web)
  keys(app, context, web)
}

const done: Record<string, string> = {
  ended: 'The old secret has ended. From the next request on, only the newest is accepted.',
  keys: 'The keys are replaced. From the next request on, only the new ones are accepted.',
  revoked: 'The developer key is revoked. It is refused from the next request on.',
}

/** Secrets that a partner has at most: the newest, and the one before it. */
const mostSecrets = 2

function overview(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { config, database } = context
  developerPage<{ Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url, role: 'viewer', schema: { querystring: DoneQuery } },
    async ({ request, app: { clientId, role }, csrf, show }) => {
      const [partner, rotations, apiKeys] = await Promise.all([
        database.maybe(findListedPartner, [clientId]),
        database.run(secretRotations, [clientId, mostSecrets]),
        database.run(listDeveloperKeys, [clientId]),
      ])
      if (!partner) return showMissing(show, 'credentials', 'application')
      const body = (
        <CredentialsPage
          {...{ partner, apiKeys, csrf }}
          made={[...rotations.map(({ at }) => at), partner.created_at].slice(0, partner.live_secrets)}
          addresses={{ authUrl: config.authUrl, baseUrl: config.baseUrl }}
          mayWrite={allows(role, 'developer')}
          mayManageKeys={allows(role, 'admin')}
          done={done[request.query.done ?? '']}
        />
      )
      return show({ title: 'Credentials', section: 'credentials', body })
    },
  )
}

const SecretBody = Type.Object({ end_others: formText(10) })

function rotation(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { config, database } = context
  const route = { url: `${url}/secret`, role: 'developer', recent: true } as const
  developerPage(app, context, web, route, async ({ app: { clientId }, csrf, show }) => {
    const partner = await database.maybe(findListedPartner, [clientId])
    if (!partner) return showMissing(show, 'credentials', 'application')
    const { name, live_secrets: live } = partner
    const form = { action: `${addressOf(clientId)}/secret`, back: backTo(clientId), csrf }
    const body = <SecretForm {...{ name, live }} {...form} />
    return show({ title: 'New client secret', section: 'credentials', body })
  })
  developerPage<{ Body: Static<typeof SecretBody> }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { body: SecretBody } },
    async ({ request, app: { clientId }, origin, show }) => {
      const endOthers = request.body.end_others === 'true'
      const outcome = await rotatePartnerSecret(database, origin, config.environment, clientId, endOthers)
      if (outcome.kind !== 'rotated') return showMissing(show, 'credentials', 'client secret')
      const { clientSecret: secret, liveSecrets: live } = outcome
      const body = (
        <NewSecretPage {...{ secret, live }} back={backTo(clientId)} open="Open the credentials">
          The previous secret still works. Put the new one into all your servers, then end the old one on the
          page Credentials.
        </NewSecretPage>
      )
      return show({ title: 'New client secret', section: 'credentials', body })
    },
  )
}

function oldSecret(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  developerPage(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/end-old-secret`, role: 'developer', recent: true },
    async ({ reply, app: { clientId }, origin, show }) => {
      const { kind } = await endOldSecrets(context.database, origin, clientId)
      if (kind !== 'ended') return showMissing(show, 'credentials', 'old secret')
      return toPage(reply, `${addressOf(clientId)}?done=ended`)
    },
  )
}

const KeysBody = Type.Object({ jwks: formText(60_000) })

function keys(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { database } = context
  const route = { url: `${url}/keys`, role: 'developer', recent: true } as const
  const formOf = (clientId: string, csrf: string) => ({
    ...{ action: `${addressOf(clientId)}/keys`, back: backTo(clientId), csrf },
  })
  developerPage(app, context, web, route, async ({ app: { clientId }, csrf, show }) => {
    const body = <KeysForm {...formOf(clientId, csrf)} jwks="" faults={[]} />
    return show({ title: 'Replace the public keys', section: 'credentials', body })
  })
  developerPage<{ Body: Static<typeof KeysBody> }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { body: KeysBody } },
    async ({ request, reply, app: { clientId }, origin, csrf, show }) => {
      const { jwks = '' } = request.body
      const outcome = await replacePartnerKeys(database, origin, clientId, jwks)
      if (outcome.kind === 'unknown') return showMissing(show, 'credentials', 'application')
      if (outcome.kind === 'replaced') return toPage(reply, `${addressOf(clientId)}?done=keys`)
      const body = <KeysForm {...formOf(clientId, csrf)} jwks={jwks} faults={outcome.faults} />
      return show({ title: 'Replace the public keys', section: 'credentials', body }, 422)
    },
  )
}
