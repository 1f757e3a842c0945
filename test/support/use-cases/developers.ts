import { systemOrigin } from '../../../src/audit/origin.ts'
import { inviteDeveloper } from '../../../src/developers/members.ts'
import type { Door, UseCases, World } from './use-case.ts'

const member = async ({ server }: World, door: Door) => {
  const { clientId } = await server.partner({ name: 'Same' })
  const invitation = { clientId, email: `${door}-member@new.example`, name: 'New', role: 'viewer' } as const
  const by = { config: server.context.config, by: 'operator' } as const
  const outcome = await inviteDeveloper(server.database, systemOrigin, by, invitation)
  if (outcome.kind !== 'invited') throw new Error(JSON.stringify(outcome))
  return { id: outcome.id, more: clientId }
}

export const developerCases: UseCases = {
  'invite a developer': {
    subject: async ({ server }) => ({ id: '', more: (await server.partner({ name: 'Same' })).clientId }),
    command: ({ more, door }) => [
      ...['developer', 'invite', '--partner', more, '--email', `${door}@new.example`],
      ...['--name', 'New', '--role', 'admin'],
    ],
    operation: 'inviteDeveloper',
    request: ({ more, door }) => [
      ...(['POST', `/partners/${more}/developers`] as const),
      { email: `${door}@new.example`, name: 'New', role: 'admin' },
    ],
    form: ({ more, door }) => ({
      page: `/partners/${more}/developers/invite`,
      fields: { email: `${door}@new.example`, name: 'New', role: 'admin' },
    }),
  },
  'change the role of a developer': {
    subject: member,
    command: ({ id, more }) => ['developer', 'update', id, '--partner', more, '--role', 'admin'],
    operation: 'changeDeveloper',
    request: ({ id, more }) => ['PATCH', `/partners/${more}/developers/${id}`, { role: 'admin' }],
    form: ({ id, more }) => ({ page: `/partners/${more}/developers/${id}`, fields: { role: 'admin' } }),
  },
  'remove a developer from a partner': {
    subject: member,
    command: ({ id, more }) => ['developer', 'remove', id, '--partner', more],
    operation: 'removeDeveloper',
    request: ({ id, more }) => ['DELETE', `/partners/${more}/developers/${id}`],
    form: ({ id, more }) => ({
      page: `/partners/${more}/developers/${id}`,
      action: `/partners/${more}/developers/${id}/remove`,
    }),
  },
}
