import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { createDeveloperKey, revokeDeveloperKey } from '../developer-keys/developer-keys.ts'
import { parseKeyDays } from '../management/key-rules.ts'
import { formText, numberOrNull } from '../panel/fields.ts'
import { Field, PostForm, Select } from '../panel/forms.tsx'
import { Faults, Id, NewSecret, PageHead } from '../panel/page-parts.tsx'
import { toPage } from '../people/person-page.ts'
import Type, { type Static } from '../typebox.ts'
import { developerPage } from './developer-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { appUrl, IdParams, type IdRoute, showMissing } from './parts.tsx'
import { appAddress, roleNames } from './shell.tsx'

const url = `${appUrl}/api-keys` as const
const backTo = (clientId: string) => ({
  label: 'Credentials',
  href: appAddress({ clientId }, '/credentials'),
})

const NewKey = Type.Object({ name: formText(200), role: formText(20), expires_in_days: formText(10) })
type NewKey = Static<typeof NewKey>

/** Keys of programs that use the developer API. The list is on the page Credentials. */
export function apiKeyRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  creation(app, context, web)
  developerPage<IdRoute>(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/:id/revoke`, role: 'admin', schema: { params: IdParams } },
    async ({ request, reply, app: { clientId }, origin, show }) => {
      const revoked = await revokeDeveloperKey(context.database, origin, { clientId, id: request.params.id })
      if (!revoked) return showMissing(show, 'credentials', 'live developer key')
      return toPage(reply, `${backTo(clientId).href}?done=revoked`)
    },
  )
}

function creation(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  const { config, database } = context
  const route = { url: `${url}/new`, role: 'admin', recent: true } as const
  developerPage(app, context, web, route, async ({ app: { clientId }, csrf, show }) => {
    const body = <NewKeyForm {...{ clientId, csrf }} fields={{}} faults={[]} />
    return show({ title: 'New developer key', section: 'credentials', body })
  })
  developerPage<{ Body: NewKey }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { body: NewKey } },
    async ({ request, app: { clientId }, origin, csrf, show }) => {
      const { name = '', role = '', expires_in_days: days } = request.body
      const faults: string[] = []
      const expiresInDays = numberOrNull(days, 'Days until it expires', parseKeyDays, faults) ?? undefined
      const outcome =
        faults.length > 0
          ? { kind: 'refused' as const, faults }
          : await createDeveloperKey(database, origin, config.environment, {
              clientId,
              name,
              role,
              expiresInDays,
            })
      if (outcome.kind === 'refused') {
        const form = { clientId, csrf, fields: request.body, faults: outcome.faults }
        return show(
          { title: 'New developer key', section: 'credentials', body: <NewKeyForm {...form} /> },
          422,
        )
      }
      const body = (
        <>
          <PageHead title="The developer key is ready" back={backTo(clientId)} />
          <NewSecret what="developer key">{outcome.text}</NewSecret>
          <p>
            Send it as <code>Authorization: Bearer …</code>. Its id is <Id>{outcome.key.id}</Id>. The guide{' '}
            <a href={`${config.baseUrl}docs/developer-api`}>Developer API</a> shows how.
          </p>
        </>
      )
      return show({ title: 'The developer key is ready', section: 'credentials', body })
    },
  )
}

function NewKeyForm(props: { clientId: string; csrf: string; fields: NewKey; faults: string[] }) {
  const { clientId, csrf, fields, faults } = props
  return (
    <>
      <PageHead title="New developer key" back={backTo(clientId)} />
      <Faults faults={faults} />
      <PostForm action={appAddress({ clientId }, '/api-keys/new')} csrf={csrf}>
        <Field
          name="name"
          label="Name"
          hint="Which program uses it."
          value={fields.name}
          maxLength={100}
          required
        />
        <Select
          name="role"
          label="What it may do"
          hint="As a developer with this role. Give it no more than it needs."
          value={fields.role ?? 'viewer'}
          choices={roleNames}
        />
        <Field
          name="expires_in_days"
          label="Days until it expires"
          hint="Empty: it does not expire."
          value={fields.expires_in_days ?? '365'}
          maxLength={4}
        />
        <button type="submit">Make the key</button>
      </PostForm>
    </>
  )
}
