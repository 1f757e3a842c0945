import { withSession } from '../sessions.ts'
import type { Door, UseCases, World } from './use-case.ts'

const user = async (_world: World, door: Door) => ({ id: door })

const signedIn = async ({ server, call }: World, door: Door) => {
  await withSession(server, door)
  return { id: door, more: (await call('GET', `/users/${door}/sessions`)).body.data[0].id }
}

/** A user who is disabled, to be erased. */
const former = async ({ call, firm, role }: World, door: Door) => {
  const id = `former-${door}`
  await call('POST', '/users', { id, firm_id: firm, email: `${door}@former.example`, name: 'Former', role })
  await call('POST', `/users/${id}/disable`)
  return { id }
}

export const userCases: UseCases = {
  'add a user': {
    command: ({ door, firm, role }) => [
      ...['user', 'create', '--id', `new-${door}`, '--firm', firm, '--email', `${door}@new.example`],
      ...['--name', 'New', '--role', role],
    ],
    operation: 'createUser',
    request: ({ door, firm, role }) => [
      ...(['POST', '/users'] as const),
      { id: `new-${door}`, firm_id: firm, email: `${door}@new.example`, name: 'New', role },
    ],
    form: ({ door, firm, role }) => ({
      page: '/users/new',
      fields: { id: `new-${door}`, firm, email: `${door}@new.example`, name: 'New', role },
    }),
  },
  'change a user': {
    subject: user,
    command: ({ id }) => ['user', 'update', id, '--name', 'Changed', '--email', `${id}@changed.example`],
    operation: 'updateUser',
    request: ({ id }) => ['PATCH', `/users/${id}`, { name: 'Changed', email: `${id}@changed.example` }],
    form: ({ id }) => ({
      page: `/users/${id}/edit`,
      fields: { name: 'Changed', email: `${id}@changed.example` },
    }),
  },
  'invite a user': {
    subject: user,
    command: ({ id }) => ['user', 'invite', id],
    operation: 'inviteUser',
    request: ({ id }) => ['POST', `/users/${id}/invitations`],
    form: ({ id }) => ({ page: `/users/${id}/invite` }),
  },
  'reset second factors': {
    subject: user,
    command: ({ id }) => ['user', 'reset-factors', id],
    operation: 'resetFactors',
    request: ({ id }) => ['DELETE', `/users/${id}/factors`],
    form: ({ id }) => ({ page: `/users/${id}/reset-factors` }),
  },
  'end one session': {
    subject: signedIn,
    command: ({ id, more }) => ['user', 'end-sessions', id, '--session', more],
    operation: 'endSession',
    request: ({ id, more }) => ['DELETE', `/users/${id}/sessions/${more}`],
    form: ({ id, more }) => ({
      page: `/users/${id}`,
      action: `/users/${id}/sessions/end`,
      fields: { session: more },
    }),
  },
  'end all sessions': {
    subject: async (world, door) => {
      await signedIn(world, door)
      return signedIn(world, door)
    },
    command: ({ id }) => ['user', 'end-sessions', id],
    operation: 'endSessions',
    request: ({ id }) => ['DELETE', `/users/${id}/sessions`],
    form: ({ id }) => ({
      page: `/users/${id}`,
      action: `/users/${id}/sessions/end`,
      fields: { session: '' },
    }),
  },
  'disable a user': {
    subject: user,
    command: ({ id }) => ['user', 'disable', id],
    operation: 'disableUser',
    request: ({ id }) => ['POST', `/users/${id}/disable`],
    form: ({ id }) => ({ page: `/users/${id}`, action: `/users/${id}/disable` }),
  },
  'enable a user': {
    subject: user,
    command: ({ id }) => ['user', 'enable', id],
    operation: 'enableUser',
    request: ({ id }) => ['POST', `/users/${id}/enable`],
    form: ({ id }) => ({ page: `/users/${id}`, action: `/users/${id}/enable` }),
  },
  'export the data of a person': {
    subject: user,
    command: ({ id }) => ['user', 'export', id],
    operation: 'exportUser',
    request: ({ id }) => ['POST', `/users/${id}/exports`],
    form: ({ id }) => ({ page: `/users/${id}/data`, action: `/users/${id}/export` }),
  },
  'erase a person': {
    subject: former,
    command: ({ id }) => ['user', 'erase', id],
    operation: 'eraseUser',
    request: ({ id }) => ['DELETE', `/users/${id}`],
    form: ({ id }) => ({
      page: `/users/${id}/data`,
      action: `/users/${id}/erase`,
      fields: { confirmation: id },
    }),
  },
}
