import type { FastifyInstance } from 'fastify'
import { logoRules } from '../brand/image.ts'
import type { Context } from '../context.ts'
import { FileField, PostForm } from '../panel/forms.tsx'
import { Faults, PageHead } from '../panel/page-parts.tsx'
import { acceptUploads, uploadOf } from '../panel/upload.ts'
import { findListedPartner, type ListedPartner } from '../partners/partners.sql.ts'
import { updatePartner } from '../partners/update-partner.ts'
import Type, { type Static } from '../typebox.ts'
import { PartnerLogo } from '../web/parts.tsx'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'
import { conflict } from './partner-changes.routes.tsx'
import { PartnerParams, type PartnerRoute, partnerAddress } from './partners.routes.tsx'

const route = { url: '/admin/partners/:client_id/logo', scope: 'partners:write' } as const
const params = PartnerParams
/** `remove` is the name of the button that was pressed. */
const LogoBody = Type.Object({ logo: Type.Unknown(), remove: Type.Optional(Type.String()) })
type LogoBody = Static<typeof LogoBody>

/** A file above the limit of logos must arrive, so that the page can say what is wrong with it. */
const mostBytes = 4 * logoRules.maxBytes

/** The form with the logo of a partner. */
export function partnerLogoRoutes(console: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  console.register(async (app) => {
    acceptUploads(app, mostBytes)
    operatorPage<PartnerRoute>(app, context, web, { ...route, schema: { params } }, async (exchange) => {
      const { request, csrf, show } = exchange
      const partner = await database.maybe(findListedPartner, [request.params.client_id])
      if (!partner) return showMissing(show, 'partners', 'partner')
      const body = <LogoPage partner={partner} csrf={csrf} faults={[]} />
      return show({ title: `Logo of ${partner.name}`, section: 'partners', body })
    })
    operatorPage<PartnerRoute & { Body: LogoBody }>(
      app,
      context,
      web,
      { ...route, method: 'POST', schema: { params, body: LogoBody } },
      async ({ request, reply, origin, csrf, show }) => {
        const { client_id: id } = request.params
        const logo = request.body.remove === undefined ? uploadOf(request.body.logo) : null
        const outcome =
          logo === undefined
            ? { kind: 'refused' as const, faults: ['Choose a picture.'] }
            : await updatePartner(database, origin, config.environment, id, { logo })
        if (outcome.kind === 'updated') return reply.redirect(`${partnerAddress(id)}?done=saved`, 303)
        const partner = await database.maybe(findListedPartner, [id])
        if (!partner || outcome.kind === 'unknown') return showMissing(show, 'partners', 'partner')
        const faults = outcome.kind === 'conflict' ? [conflict] : outcome.faults
        const body = <LogoPage partner={partner} csrf={csrf} faults={faults} />
        return show({ title: `Logo of ${partner.name}`, section: 'partners', body }, 422)
      },
    )
  })
}

function LogoPage({ partner, csrf, faults }: { partner: ListedPartner; csrf: string; faults: string[] }) {
  const { client_id: id, name, logo } = partner
  const address = partnerAddress(id)
  return (
    <>
      <PageHead
        title={
          <span class="form-row">
            <PartnerLogo name={name} logo={logo} size="list" />
            <span>
              Logo of <bdi>{name}</bdi>
            </span>
          </span>
        }
        back={{ label: name, href: address }}
        intro="Users see it when they connect the application, and in their list of connected apps."
      />
      <Faults faults={faults} />
      <PostForm action={`${address}/logo`} csrf={csrf} hasFile>
        <FileField
          name="logo"
          label="Picture"
          accept="image/png,image/webp"
          hint="PNG or WebP, square if possible, up to 64 kB, with sides of 32 to 1024 pixels."
        />
        <div class="form-row">
          <button type="submit">Save</button>
          {logo !== null && (
            <button type="submit" name="remove" value="true" class="secondary danger">
              Remove the logo
            </button>
          )}
        </div>
      </PostForm>
    </>
  )
}
