import type { FastifyInstance } from 'fastify'
import { type ApiKeyRow, listApiKeys } from '../admin/api-keys.sql.ts'
import { createApiKey, revokeApiKey } from '../admin/api-keys.ts'
import type { Context } from '../context.ts'
import { parseKeyDays } from '../management/key-rules.ts'
import { may, type Scope, scopes } from '../operators/scopes.ts'
import { DoneQuery, formText, numberOrNull, pathText } from '../panel/fields.ts'
import { Checkbox, Field, PostButton, PostForm } from '../panel/forms.tsx'
import {
  Done,
  Exact,
  Faults,
  Id,
  Name,
  NewSecret,
  PageHead,
  State,
  type Tone,
  When,
} from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'

const url = '/admin/api-keys'
const back = { label: 'API keys', href: url }
const scopeText = Type.String({ maxLength: 40 })
const NewKey = Type.Object({
  name: formText(200),
  expires_in_days: formText(10),
  /** One checked box is a text, several are a list. */
  scopes: Type.Optional(Type.Union([scopeText, Type.Array(scopeText, { maxItems: 100 })])),
})
type NewKey = Static<typeof NewKey>

/** Keys of programs that use the admin API. */
export function apiKeyRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  list(app, context, web)
  creation(app, context, web)
}

function list(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  operatorPage<{ Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url, scope: 'operators:read', schema: { querystring: DoneQuery } },
    async ({ request, operator, csrf, show }) => {
      const mayWrite = may(operator, 'operators:write')
      const body = (
        <>
          <PageHead
            title="API keys"
            back={{ label: 'Keys', href: '/admin/keys' }}
            intro="For programs that use the admin API."
          >
            {mayWrite && (
              <a class="button" href={`${url}/new`}>
                New API key
              </a>
            )}
          </PageHead>
          {request.query.done === 'revoked' && (
            <Done>The key is revoked. It is refused from the next request on.</Done>
          )}
          <ApiKeyTable keys={await database.run(listApiKeys, [])} csrf={csrf} mayWrite={mayWrite} />
        </>
      )
      return show({ title: 'API keys', section: 'keys', body })
    },
  )
  const params = Type.Object({ id: pathText })
  operatorPage<{ Params: Static<typeof params> }>(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/:id/revoke`, scope: 'operators:write', schema: { params } },
    async ({ request, reply, origin, show }) => {
      const revoked = await revokeApiKey(database, origin, request.params.id)
      if (!revoked) return showMissing(show, 'keys', 'live API key')
      return reply.redirect(`${url}?done=revoked`, 303)
    },
  )
}

const tones: Record<ApiKeyRow['state'], Tone> = { live: 'ok', expired: 'plain', revoked: 'plain' }

function ApiKeyTable({ keys, csrf, mayWrite }: { keys: ApiKeyRow[]; csrf: string; mayWrite: boolean }) {
  return (
    <Table
      caption="API keys"
      rows={keys}
      keyOf={({ id }) => id}
      empty="There is no API key yet. Make one for each program that uses the admin API."
      columns={[
        { label: 'Name', cell: ({ name }) => <Name>{name}</Name> },
        { label: 'Id', cell: ({ id }) => <Id>{id}</Id> },
        { label: 'State', cell: ({ state }) => <State tone={tones[state]}>{state}</State> },
        { label: 'Scopes', cell: ({ scopes: given }) => given.join(', ') },
        { label: 'Expires', cell: ({ expires_at: at }) => <Exact at={at} /> },
        { label: 'Last used', cell: ({ last_used_at: at }) => <When at={at} /> },
        ...(mayWrite
          ? [
              {
                label: 'Action',
                cell: ({ id, name, state }: ApiKeyRow) =>
                  state === 'revoked' ? (
                    '–'
                  ) : (
                    <PostButton
                      action={`${url}/${encodeURIComponent(id)}/revoke`}
                      csrf={csrf}
                      label="Revoke"
                      about={name}
                      tone="secondary danger"
                    />
                  ),
              },
            ]
          : []),
      ]}
    />
  )
}

function creation(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const route = { url: `${url}/new`, scope: 'operators:write', recent: true } as const
  operatorPage(app, context, web, route, async ({ operator, csrf, show }) => {
    const allowed = scopes.filter((scope) => may(operator, scope))
    const body = <NewKeyForm csrf={csrf} fields={{}} allowed={allowed} faults={[]} />
    return show({ title: 'New API key', section: 'keys', body })
  })
  operatorPage<{ Body: NewKey }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { body: NewKey } },
    async ({ request, operator, origin, csrf, show }) => {
      const { name = '', expires_in_days: days } = request.body
      const chosen = chosenScopes(request.body)
      const faults: string[] = []
      const expiresInDays = numberOrNull(days, 'Days until it expires', parseKeyDays, faults) ?? undefined
      const allowed = scopes.filter((scope) => may(operator, scope))
      // An operator cannot give more than they have.
      const missing = chosen.filter((scope) => !allowed.some((one) => one === scope))
      if (missing.length > 0) faults.push(`Your role does not have ${missing.join(', ')}.`)
      const outcome =
        faults.length > 0
          ? { kind: 'refused' as const, faults }
          : await createApiKey(database, origin, config.environment, { name, scopes: chosen, expiresInDays })
      if (outcome.kind === 'refused') {
        const form = { csrf, fields: request.body, allowed, faults: outcome.faults }
        return show({ title: 'New API key', section: 'keys', body: <NewKeyForm {...form} /> }, 422)
      }
      const body = (
        <>
          <PageHead title="The API key is ready" back={back} />
          <NewSecret what="API key">{outcome.text}</NewSecret>
          <p>
            Send it as <code>Authorization: Bearer …</code>. Its id is <Id>{outcome.key.id}</Id>.
          </p>
        </>
      )
      return show({ title: 'The API key is ready', section: 'keys', body })
    },
  )
}

function chosenScopes({ scopes: chosen = [] }: NewKey): string[] {
  return [chosen].flat()
}

function NewKeyForm(props: { csrf: string; fields: NewKey; allowed: Scope[]; faults: string[] }) {
  const { csrf, fields, allowed, faults } = props
  const chosen = chosenScopes(fields)
  return (
    <>
      <PageHead title="New API key" back={back} />
      <Faults faults={faults} />
      <PostForm action={`${url}/new`} csrf={csrf}>
        <Field
          name="name"
          label="Name"
          hint="Which program uses it."
          value={fields.name}
          maxLength={100}
          required
        />
        <Field
          name="expires_in_days"
          label="Days until it expires"
          hint="Empty: it does not expire."
          value={fields.expires_in_days ?? '365'}
          maxLength={4}
        />
        <fieldset>
          <legend>What it may do</legend>
          <div class="check-grid">
            {allowed.map((scope) => (
              <Checkbox
                key={scope}
                name="scopes"
                value={scope}
                label={<code>{scope}</code>}
                checked={chosen.includes(scope)}
              />
            ))}
          </div>
        </fieldset>
        <button type="submit">Make the key</button>
      </PostForm>
    </>
  )
}
