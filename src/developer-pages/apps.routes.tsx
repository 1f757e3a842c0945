import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { appsOfDeveloper, type DeveloperApp } from '../developers/sessions.sql.ts'
import type { Developer } from '../developers/sessions.ts'
import { PageHead, State, When } from '../panel/page-parts.tsx'
import { Table } from '../panel/table.tsx'
import { personPage, toPage } from '../people/person-page.ts'
import type { DeveloperWeb } from './edge.ts'
import { appAddress, roleNames } from './shell.tsx'

/** The applications of the developer. With one only, the browser goes to it. */
export function appListRoutes(app: FastifyInstance, context: Context, web: DeveloperWeb): void {
  personPage<Developer>(app, context, web, { url: '/developers' }, async ({ reply, person }) => {
    const apps = await context.database.run(appsOfDeveloper, [person.id])
    const [only] = apps
    if (only && apps.length === 1) return toPage(reply, appAddress({ clientId: only.client_id }))
    return web.shell(reply, person, { title: 'Applications', body: <AppList apps={apps} /> })
  })
}

function AppList({ apps }: { apps: DeveloperApp[] }) {
  return (
    <>
      <PageHead title="Applications" />
      <Table
        caption="Your applications"
        rows={apps}
        keyOf={({ client_id: id }) => id}
        empty="You are not a developer of any application. Ask an administrator of the application to invite you."
        columns={[
          {
            label: 'Application',
            cell: ({ client_id: clientId, name }) => (
              <a href={appAddress({ clientId })}>
                <bdi>{name}</bdi>
              </a>
            ),
          },
          {
            label: 'State',
            cell: ({ status }) => <State tone={status === 'active' ? 'ok' : 'warning'}>{status}</State>,
          },
          { label: 'Your role', cell: ({ role }) => roleNames[role] },
          { label: 'Since', cell: ({ since }) => <When at={since} /> },
        ]}
      />
    </>
  )
}
