import type { FastifyInstance, FastifyReply } from 'fastify'
import { logoRules } from '../brand/image.ts'
import type { Context } from '../context.ts'
import { allows } from '../developer-keys/roles.ts'
import { DoneQuery, textOrNull } from '../panel/fields.ts'
import { linesOf } from '../panel/forms.tsx'
import { acceptUploads, uploadOf } from '../panel/upload.ts'
import { findListedPartner, type ListedPartner } from '../partners/partners.sql.ts'
import { type PartnerUpdate, updatePartner } from '../partners/update-partner.ts'
import { toPage } from '../people/person-page.ts'
import Type, { type Static } from '../typebox.ts'
import {
  ApplicationFields,
  ApplicationForm,
  ApplicationPage,
  applicationFields,
} from './application-page.tsx'
import { type DeveloperRequest, developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { appUrl, showMissing } from './parts.tsx'
import { appAddress } from './shell.tsx'

const url = `${appUrl}/application` as const
const LogoForm = Type.Object({ logo: Type.Unknown() })
type LogoForm = Static<typeof LogoForm>

/** A file above the limit of logos must arrive, so that the page can say what is wrong with it. */
const mostBytes = 4 * logoRules.maxBytes

const addressOf = (clientId: string) => appAddress({ clientId }, '/application')

/** What users see of an application, and where they return to. The operator sets its name, limits and lifetimes. */
export async function applicationRoutes(
  app: FastifyInstance,
  context: Context,
  web: DeveloperWeb,
): Promise<void> {
  overview(app, context, web)
  settings(app, context, web)
  await app.register(async (forms) => {
    acceptUploads(forms, mostBytes)
    logo(forms, context, web)
  })
}

const done: Record<string, string> = {
  saved: 'The settings are saved. They apply from the next request on.',
  logo: 'The logo is saved. Users see it from now on.',
  removed: 'The logo is removed. Users see the initials of the name.',
}

const conflict = 'Someone else changed the application at the same time. Nothing was changed here. Try again.'

/** Why the settings were not saved. Empty: they were. */
function faultsOf(outcome: Exclude<PartnerUpdate, { kind: 'unknown' }>): string[] {
  if (outcome.kind === 'conflict') return [conflict]
  return outcome.kind === 'refused' ? outcome.faults : []
}

type Shown = Pick<DeveloperRequest<object>, 'app' | 'csrf' | 'show'> & {
  done?: string | undefined
  faults?: string[]
}

function showApplication(partner: ListedPartner, { app, csrf, show, ...shown }: Shown): FastifyReply {
  const { done: text, faults = [] } = shown
  const mayWrite = allows(app.role, 'developer')
  const body = <ApplicationPage {...{ partner, csrf, mayWrite, faults }} done={text} />
  return show({ title: 'Application', section: 'application', body }, faults.length > 0 ? 422 : 200)
}

function overview(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { database } = context
  developerPage<{ Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url, role: 'viewer', schema: { querystring: DoneQuery } },
    async ({ request, app: current, csrf, show }) => {
      const partner = await database.maybe(findListedPartner, [current.clientId])
      if (!partner) return showMissing(show, 'application', 'application')
      return showApplication(partner, { app: current, csrf, show, done: done[request.query.done ?? ''] })
    },
  )
}

function settings(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { config, database } = context
  const route = { url: `${url}/edit`, role: 'developer', recent: true } as const
  developerPage(app, context, web, route, async ({ app: { clientId }, csrf, show }) => {
    const partner = await database.maybe(findListedPartner, [clientId])
    if (!partner) return showMissing(show, 'application', 'application')
    const body = <ApplicationForm {...{ clientId, csrf }} fields={applicationFields(partner)} faults={[]} />
    return show({ title: 'Change settings', section: 'application', body })
  })
  developerPage<{ Body: ApplicationFields }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { body: ApplicationFields } },
    async ({ request: { body: fields }, reply, app: { clientId }, origin, csrf, show }) => {
      const outcome = await updatePartner(database, origin, config.environment, clientId, {
        redirectUris: linesOf(fields.redirect_uris ?? ''),
        postLogoutRedirectUris: linesOf(fields.post_logout_redirect_uris ?? ''),
        requirePkce: fields.require_pkce === 'true',
        site: textOrNull(fields.site),
        privacyUrl: textOrNull(fields.privacy_url),
        description: textOrNull(fields.description),
      })
      if (outcome.kind === 'unknown') return showMissing(show, 'application', 'application')
      const faults = faultsOf(outcome)
      if (faults.length === 0) return toPage(reply, `${addressOf(clientId)}?done=saved`)
      const body = <ApplicationForm {...{ clientId, csrf, fields, faults }} />
      return show({ title: 'Change settings', section: 'application', body }, 422)
    },
  )
}

function logo(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { config, database } = context
  developerPage<{ Body: LogoForm }>(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/logo`, role: 'developer', recent: true, schema: { body: LogoForm } },
    async ({ request, reply, app: current, origin, csrf, show }) => {
      const { clientId } = current
      const logo = uploadOf(request.body.logo)
      const outcome = logo
        ? await updatePartner(database, origin, config.environment, clientId, { logo })
        : { kind: 'refused' as const, faults: ['Choose a picture.'] }
      const partner = await database.maybe(findListedPartner, [clientId])
      if (outcome.kind === 'unknown' || !partner) return showMissing(show, 'application', 'application')
      const faults = faultsOf(outcome)
      if (faults.length === 0) return toPage(reply, `${addressOf(clientId)}?done=logo`)
      return showApplication(partner, { app: current, csrf, show, faults })
    },
  )
  developerPage(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/logo/remove`, role: 'developer', recent: true },
    async ({ reply, app: { clientId }, origin, show }) => {
      const changes = { logo: null }
      const outcome = await updatePartner(database, origin, config.environment, clientId, changes)
      if (outcome.kind === 'unknown') return showMissing(show, 'application', 'application')
      return toPage(reply, `${addressOf(clientId)}?done=removed`)
    },
  )
}
