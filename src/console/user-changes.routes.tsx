import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { disableUser, enableUser, findUser } from '../directory/users.ts'
import { resetFactors } from '../factors/reset-factors.ts'
import { formText } from '../panel/fields.ts'
import { Confirmation } from '../panel/forms.tsx'
import { Exact, Faults, Id, PageHead } from '../panel/page-parts.tsx'
import { filled } from '../panel/paging.ts'
import { invite } from '../recovery/invite.ts'
import { endSessions } from '../sessions/sessions-of-user.ts'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'
import { UserParams, type UserRoute, userAddress } from './users.routes.tsx'

const url = '/admin/users/:id'
const scope = 'users:write' as const
const params = UserParams

/** What an operator changes about a user. */
export function userChangeRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  status(app, context, web)
  sessions(app, context, web)
  factors(app, context, web)
  invitation(app, context, web)
}

function status(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  for (const [verb, done, change] of [
    ['disable', 'disabled', disableUser],
    ['enable', 'enabled', enableUser],
  ] as const) {
    const route = { method: 'POST', url: `${url}/${verb}`, scope, schema: { params } } as const
    operatorPage<UserRoute>(app, context, web, route, async ({ request, reply, origin, show }) => {
      const outcome = await change(context.database, origin, request.params.id)
      if (outcome.kind === 'refused') return showMissing(show, 'users', 'user')
      return reply.redirect(`${userAddress(outcome.id)}?done=${done}`, 303)
    })
  }
}

const SessionBody = Type.Object({ session: formText(20) })

function sessions(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  operatorPage<UserRoute & { Body: Static<typeof SessionBody> }>(
    app,
    context,
    web,
    { method: 'POST', url: `${url}/sessions/end`, scope, schema: { params, body: SessionBody } },
    async ({ request, reply, origin }) => {
      const { id } = request.params
      await endSessions(context.database, origin, id, filled(request.body.session))
      return reply.redirect(`${userAddress(id)}?done=sessions`, 303)
    },
  )
}

function factors(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const route = { url: `${url}/reset-factors`, scope, recent: true, schema: { params } } as const
  operatorPage<UserRoute>(app, context, web, route, async ({ request, csrf, show }) => {
    const user = await findUser(database, request.params.id)
    if (!user) return showMissing(show, 'users', 'user')
    const address = userAddress(user.id)
    const body = (
      <>
        <PageHead title="Reset the second factors?" back={{ label: user.name, href: address }} />
        <Confirmation
          action={`${address}/reset-factors`}
          csrf={csrf}
          button="Reset the factors"
          isDangerous
          cancel={{ label: 'Keep them', href: address }}
        >
          <p>
            All passkeys, the authenticator app and the recovery codes of <bdi>{user.name}</bdi> are removed,
            and the user is signed out. Make sure that you speak with this person. After the reset, the
            password alone is enough to sign in.
          </p>
        </Confirmation>
      </>
    )
    return show({ title: 'Reset the second factors', section: 'users', body })
  })
  operatorPage<UserRoute>(
    app,
    context,
    web,
    { ...route, method: 'POST' },
    async ({ request, reply, origin, show }) => {
      const removed = await resetFactors(database, origin, request.params.id, config.mail !== undefined)
      if (!removed) return showMissing(show, 'users', 'user')
      return reply.redirect(`${userAddress(request.params.id)}?done=factors`, 303)
    },
  )
}

function invitation(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  const route = { url: `${url}/invite`, scope, recent: true, schema: { params } } as const
  operatorPage<UserRoute>(app, context, web, route, async ({ request, csrf, show }) => {
    const user = await findUser(database, request.params.id)
    if (!user) return showMissing(show, 'users', 'user')
    const address = userAddress(user.id)
    const body = (
      <>
        <PageHead title="Invite the user?" back={{ label: user.name, href: address }} />
        <Confirmation
          action={`${address}/invite`}
          csrf={csrf}
          button={config.mail ? 'Send the invitation' : 'Make a link'}
          cancel={{ label: 'Cancel', href: address }}
        >
          <p>
            With the link, <bdi>{user.name}</bdi> sets a password.{' '}
            {config.mail ? (
              <>
                It is mailed to <bdi>{user.email}</bdi>.
              </>
            ) : (
              'This server sends no mails: you get the link, and hand it over.'
            )}
          </p>
        </Confirmation>
      </>
    )
    return show({ title: 'Invite the user', section: 'users', body })
  })
  operatorPage<UserRoute>(
    app,
    context,
    web,
    { ...route, method: 'POST' },
    async ({ request, reply, origin, show }) => {
      const { id } = request.params
      const address = userAddress(id)
      const outcome = await invite(database, origin, config, id)
      if (outcome.kind === 'mailed') return reply.redirect(`${address}?done=invited`, 303)
      const back = { label: 'The user', href: address }
      const body =
        outcome.kind === 'refused' ? (
          <>
            <PageHead title="No link was made" back={back} />
            <Faults faults={[`${outcome.reason}.`]} />
          </>
        ) : (
          <>
            <PageHead title="The link is ready" back={back} />
            <div class="notice new-secret" role="status">
              <p>
                <strong>Hand the link over now.</strong> It is shown only this once, and works until{' '}
                <Exact at={outcome.expiresAt} />. Anyone who has it can set the password.
              </p>
              <p>
                <Id>{outcome.link}</Id>
              </p>
            </div>
          </>
        )
      return show({ title: 'Invitation', section: 'users', body }, outcome.kind === 'refused' ? 409 : 200)
    },
  )
}
