import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { applyLifetime } from '../grants/grants.ts'
import { KeysForm, NewSecretPage, SecretForm } from '../panel/credential-forms.tsx'
import { formText } from '../panel/fields.ts'
import { consequencesOfDeletion, deletePartner } from '../partners/delete-partner.ts'
import { endOldSecrets } from '../partners/end-old-secrets.ts'
import { findListedPartner } from '../partners/partners.sql.ts'
import { replacePartnerKeys, rotatePartnerSecret } from '../partners/partners.ts'
import { updatePartner } from '../partners/update-partner.ts'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'
import { fieldsOf, PartnerFields, partnerChangesOf } from './partner-fields.ts'
import { PartnerForm } from './partner-form.tsx'
import { DeletionPage, LifetimePage } from './partner-forms.tsx'
import { PartnerParams, type PartnerRoute, partnerAddress } from './partners.routes.tsx'

const url = '/admin/partners/:client_id'
const scope = 'partners:write' as const
const params = PartnerParams

/** Forms that change a partner. */
export function partnerChangeRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  settings(app, context, web)
  secret(app, context, web)
  oldSecrets(app, context, web)
  keys(app, context, web)
  lifetime(app, context, web)
  deletion(app, context, web)
}

export const conflict =
  'Another operator changed the partner at the same time. Nothing was changed here. Try again.'

function settings(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const route = { url: `${url}/edit`, scope } as const
  operatorPage<PartnerRoute>(app, context, web, { ...route, schema: { params } }, async (exchange) => {
    const { request, csrf, show } = exchange
    const partner = await database.maybe(findListedPartner, [request.params.client_id])
    if (!partner) return showMissing(show, 'partners', 'partner')
    const address = partnerAddress(partner.client_id)
    const form = { action: `${address}/edit`, csrf, back: { label: partner.name, href: address } }
    const body = <PartnerForm {...form} fields={fieldsOf(partner)} faults={[]} />
    return show({ title: `Change ${partner.name}`, section: 'partners', body })
  })
  operatorPage<PartnerRoute & { Body: PartnerFields }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { params, body: PartnerFields } },
    async ({ request, reply, origin, csrf, show }) => {
      const { client_id: id } = request.params
      const { changes, faults } = partnerChangesOf(request.body)
      const outcome =
        faults.length > 0
          ? { kind: 'refused' as const, faults }
          : await updatePartner(database, origin, config.environment, id, changes)
      if (outcome.kind === 'unknown') return showMissing(show, 'partners', 'partner')
      const address = partnerAddress(id)
      if (outcome.kind === 'updated') return reply.redirect(`${address}?done=saved`, 303)
      const shown = outcome.kind === 'conflict' ? [conflict] : outcome.faults
      const form = { action: `${address}/edit`, csrf, back: { label: 'The partner', href: address } }
      const body = <PartnerForm {...form} fields={request.body} faults={shown} />
      return show({ title: 'Change the partner', section: 'partners', body }, 422)
    },
  )
}

const SecretBody = Type.Object({ end_others: formText(10) })

function secret(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const route = { url: `${url}/secret`, scope, recent: true } as const
  operatorPage<PartnerRoute>(app, context, web, { ...route, schema: { params } }, async (exchange) => {
    const { request, csrf, show } = exchange
    const partner = await database.maybe(findListedPartner, [request.params.client_id])
    if (!partner) return showMissing(show, 'partners', 'partner')
    const { name, live_secrets: live } = partner
    const address = partnerAddress(partner.client_id)
    const form = { back: { label: name, href: address }, action: `${address}/secret`, csrf }
    const body = <SecretForm {...{ name, live }} {...form} />
    return show({ title: 'New secret', section: 'partners', body })
  })
  operatorPage<PartnerRoute & { Body: Static<typeof SecretBody> }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { params, body: SecretBody } },
    async ({ request, origin, show }) => {
      const { client_id: id } = request.params
      const endOthers = request.body.end_others === 'true'
      const outcome = await rotatePartnerSecret(database, origin, config.environment, id, endOthers)
      if (outcome.kind !== 'rotated') return showMissing(show, 'partners', 'partner')
      const { clientSecret, liveSecrets } = outcome
      const back = { label: 'The partner', href: partnerAddress(id) }
      const body = (
        <NewSecretPage secret={clientSecret} live={liveSecrets} back={back} open="Open the partner">
          The previous secret is accepted until the next rotation. Hand the new one over, and rotate again if
          you want the old one to end.
        </NewSecretPage>
      )
      return show({ title: 'New secret', section: 'partners', body })
    },
  )
}

function oldSecrets(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const route = { method: 'POST', url: `${url}/end-old-secrets`, scope, schema: { params } } as const
  operatorPage<PartnerRoute>(app, context, web, route, async ({ request, reply, origin, show }) => {
    const { client_id: id } = request.params
    const { kind } = await endOldSecrets(context.database, origin, id)
    if (kind === 'unknown') return showMissing(show, 'partners', 'partner')
    return reply.redirect(`${partnerAddress(id)}?done=old_secrets`, 303)
  })
}

const KeysBody = Type.Object({ jwks: formText(60_000) })

function keys(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  const route = { url: `${url}/keys`, scope, recent: true } as const
  operatorPage<PartnerRoute>(app, context, web, { ...route, schema: { params } }, async (exchange) => {
    const { request, csrf, show } = exchange
    const partner = await database.maybe(findListedPartner, [request.params.client_id])
    if (!partner) return showMissing(show, 'partners', 'partner')
    const address = partnerAddress(partner.client_id)
    const form = { action: `${address}/keys`, back: { label: 'The partner', href: address }, csrf }
    const body = <KeysForm {...form} jwks="" faults={[]} />
    return show({ title: 'Replace keys', section: 'partners', body })
  })
  operatorPage<PartnerRoute & { Body: Static<typeof KeysBody> }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { params, body: KeysBody } },
    async ({ request, reply, origin, csrf, show }) => {
      const address = partnerAddress(request.params.client_id)
      const { jwks = '' } = request.body
      const outcome = await replacePartnerKeys(database, origin, request.params.client_id, jwks)
      if (outcome.kind === 'unknown') return showMissing(show, 'partners', 'partner')
      if (outcome.kind === 'replaced') return reply.redirect(`${address}?done=keys`, 303)
      const form = { action: `${address}/keys`, back: { label: 'The partner', href: address }, csrf }
      const body = <KeysForm {...form} jwks={jwks} faults={outcome.faults} />
      return show({ title: 'Replace keys', section: 'partners', body }, 422)
    },
  )
}

function lifetime(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const route = { url: `${url}/apply-lifetime`, scope: 'grants:write', schema: { params } } as const
  operatorPage<PartnerRoute>(app, context, web, route, async ({ request, csrf, show }) => {
    const partner = await database.maybe(findListedPartner, [request.params.client_id])
    if (!partner) return showMissing(show, 'partners', 'partner')
    const days = partner.grant_lifetime_days ?? config.grantLifetimeDays
    const body = <LifetimePage partner={partner} days={days} csrf={csrf} />
    return show({ title: 'Apply the lifetime of consents', section: 'partners', body })
  })
  operatorPage<PartnerRoute>(
    app,
    context,
    web,
    { ...route, method: 'POST' },
    async ({ request, reply, origin }) => {
      const { client_id: clientId } = request.params
      await applyLifetime(database, origin, { clientId, defaultDays: config.grantLifetimeDays })
      return reply.redirect(`${partnerAddress(clientId)}?done=lifetime`, 303)
    },
  )
}

const DeletionBody = Type.Object({
  confirmation: formText(),
  connected_users: Type.Optional(Type.String({ pattern: '^\\d{1,9}$' })),
})

function deletion(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  const route = { url: `${url}/delete`, scope, recent: true } as const
  operatorPage<PartnerRoute>(app, context, web, { ...route, schema: { params } }, async (exchange) => {
    const { request, csrf, show } = exchange
    const found = await consequencesOfDeletion(database, request.params.client_id)
    if (!found) return showMissing(show, 'partners', 'partner')
    const body = <DeletionPage found={found} csrf={csrf} faults={[]} />
    return show({ title: `Delete ${found.name}`, section: 'partners', body })
  })
  operatorPage<PartnerRoute & { Body: Static<typeof DeletionBody> }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { params, body: DeletionBody } },
    async ({ request, reply, origin, csrf, show }) => {
      const { client_id: id } = request.params
      const { confirmation, connected_users: seen } = request.body
      const found = await consequencesOfDeletion(database, id)
      if (!found) return showMissing(show, 'partners', 'partner')
      const refuse = (fault: string, status: number) => {
        const body = <DeletionPage found={found} csrf={csrf} faults={[fault]} />
        return show({ title: `Delete ${found.name}`, section: 'partners', body }, status)
      }
      if (confirmation?.trim() !== id || seen === undefined) {
        return refuse('Nothing was deleted: type the client id exactly as it is shown.', 422)
      }
      const outcome = await deletePartner(database, origin, id, Number(seen))
      if (outcome.kind === 'deleted') return reply.redirect('/admin/partners?done=deleted', 303)
      return refuse('Nothing was deleted: the number of connected users has changed. Look at it again.', 409)
    },
  )
}
