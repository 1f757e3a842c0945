import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { type ListedKey, listKeys } from '../keys/key-states.ts'
import { rotateSigningKey } from '../keys/keyring.ts'
import { jwksMaxAgeSeconds, leadMinutes, watchSeconds } from '../keys/lifetimes.ts'
import { removeSigningKey } from '../keys/remove-key.ts'
import { signingAlgorithms } from '../keys/signing-keys.ts'
import { may } from '../operators/scopes.ts'
import { DoneQuery, formText, pathText } from '../panel/fields.ts'
import { PostButton, PostForm, TypedConfirmation } from '../panel/forms.tsx'
import { Done, Exact, Faults, Id, PageHead, Section, State, type Tone } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'

const url = '/admin/keys'
const params = Type.Object({ kid: pathText })
const Confirmed = Type.Object({ confirmation: formText() })

/** The keys that sign id_tokens: rotation, and the removal of one that leaked. */
export function keyRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  list(app, context, web)
  removal(app, context, web)
}

const done: Record<string, string> = {
  rotated: `New keys are published. They sign after ${leadMinutes} minutes, when every partner has had time to read them.`,
  removed: `The key is removed. Within ${watchSeconds} seconds no server publishes it; partners that keep the JWKS accept it for up to ${jwksMaxAgeSeconds / 60} minutes more.`,
}

function list(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database, keys, keyring, now } = context
  operatorPage<{ Querystring: Static<typeof DoneQuery> }>(
    app,
    context,
    web,
    { url, scope: 'keys:read', schema: { querystring: DoneQuery } },
    async ({ request, operator, csrf, show }) => {
      const text = done[request.query.done ?? '']
      const mayWrite = may(operator, 'keys:write')
      const body = (
        <>
          <PageHead
            title="Keys"
            intro="The keys that sign id_tokens. They rotate by themselves; API keys are for programs that use the admin API."
          >
            <a class="button secondary" href="/admin/api-keys">
              API keys
            </a>
          </PageHead>
          {text && <Done>{text}</Done>}
          <Section id="signing" title="Signing keys">
            <KeyTable keys={await listKeys(database, now())} mayWrite={mayWrite} />
          </Section>
          {mayWrite && <PostButton action={`${url}/rotate`} csrf={csrf} label="Make the next keys now" />}
        </>
      )
      return show({ title: 'Keys', section: 'keys', body })
    },
  )
  operatorPage(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/rotate`, scope: 'keys:write' },
    async ({ reply, origin }) => {
      for (const algorithm of signingAlgorithms) await rotateSigningKey(database, origin, keys, algorithm)
      await keyring.reload()
      return reply.redirect(`${url}?done=rotated`, 303)
    },
  )
}

const states: Record<ListedKey['state'], { tone: Tone; text: string }> = {
  waiting: { tone: 'plain', text: 'published, does not sign yet' },
  signing: { tone: 'ok', text: 'signs' },
  published: { tone: 'plain', text: 'published, no longer signs' },
  retired: { tone: 'plain', text: 'retired' },
}

function KeyTable({ keys, mayWrite }: { keys: ListedKey[]; mayWrite: boolean }) {
  return (
    <Table
      caption="Signing keys"
      rows={keys}
      keyOf={({ kid }) => kid}
      empty="There is no signing key yet. A running server makes one."
      columns={[
        { label: 'Key id', cell: ({ kid }) => <Id>{kid}</Id> },
        { label: 'Algorithm', cell: ({ algorithm }) => algorithm },
        {
          label: 'State',
          cell: ({ state }) => <State tone={states[state].tone}>{states[state].text}</State>,
        },
        { label: 'Made', cell: ({ created_at: at }) => <Exact at={at} /> },
        { label: 'Signs from', cell: ({ signs_from: at }) => <Exact at={at} /> },
        ...(mayWrite
          ? [
              {
                label: 'Leaked?',
                cell: ({ kid, state }: ListedKey) =>
                  state === 'retired' ? (
                    '–'
                  ) : (
                    <a href={`${url}/${encodeURIComponent(kid)}/remove`}>
                      Remove…<span class="hidden"> the key {kid}</span>
                    </a>
                  ),
              },
            ]
          : []),
      ]}
    />
  )
}

function removal(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database, keys, keyring, now } = context
  const route = { url: `${url}/:kid/remove`, scope: 'keys:write', recent: true } as const
  type Route = { Params: Static<typeof params> }
  operatorPage<Route>(app, context, web, { ...route, schema: { params } }, async (exchange) => {
    const { request, csrf, show } = exchange
    const found = (await listKeys(database, now())).find(({ kid }) => kid === request.params.kid)
    if (!found) return showMissing(show, 'keys', 'key')
    const body = <RemovalPage kid={found.kid} csrf={csrf} faults={[]} />
    return show({ title: 'Remove a signing key', section: 'keys', body })
  })
  operatorPage<Route & { Body: Static<typeof Confirmed> }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { params, body: Confirmed } },
    async ({ request, reply, origin, csrf, show }) => {
      const { kid } = request.params
      if (request.body.confirmation?.trim() !== kid) {
        const faults = ['Nothing was removed: type the key id exactly as it is shown.']
        const body = <RemovalPage kid={kid} csrf={csrf} faults={faults} />
        return show({ title: 'Remove a signing key', section: 'keys', body }, 422)
      }
      const removed = await removeSigningKey(database, origin, keys, kid)
      if (!removed) return showMissing(show, 'keys', 'key')
      await keyring.reload()
      return reply.redirect(`${url}?done=removed`, 303)
    },
  )
}

function RemovalPage({ kid, csrf, faults }: { kid: string; csrf: string; faults: string[] }) {
  return (
    <>
      <PageHead title="Remove a signing key that leaked?" back={{ label: 'Keys', href: url }} />
      <Faults faults={faults} />
      <div class="notice warning">
        <p>
          Every server takes the key out of the JWKS within {watchSeconds} seconds. If no newer key can sign,
          a new one is made and signs at once. id_tokens that the key has signed can no longer be verified.
        </p>
        <p>To replace a key that did not leak, make the next keys instead: nothing is interrupted.</p>
      </div>
      <PostForm action={`${url}/${encodeURIComponent(kid)}/remove`} csrf={csrf}>
        <TypedConfirmation word={kid} />
        <div class="form-row">
          <button type="submit" class="danger">
            Remove the key
          </button>
          <a class="button secondary" href={url}>
            Keep it
          </a>
        </div>
      </PostForm>
    </>
  )
}
