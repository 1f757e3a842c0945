import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { type ListedFirm, type ListedRole, listFirms, listRoles } from '../directory/requirements.sql.ts'
import { createUser, findUser } from '../directory/users.ts'
import { changeUser, type UserChange } from '../import/change-user.ts'
import { formText } from '../panel/fields.ts'
import { Field, PostForm, Select } from '../panel/forms.tsx'
import { Faults, PageHead } from '../panel/page-parts.tsx'
import { reservedIn } from '../sandbox/data.ts'
import Type, { type Static } from '../typebox.ts'
import type { ConsoleWeb } from './edge.ts'
import { showMissing } from './missing.tsx'
import { operatorPage } from './operator-page.ts'
import { UserParams, type UserRoute, userAddress } from './users.routes.tsx'

const url = '/admin/users'

const UserFields = Type.Object({
  ...{ id: formText(64), firm: formText(64), email: formText(254), name: formText(1000), role: formText(64) },
})
type UserFields = Static<typeof UserFields>

/** Forms that add a user, and change one. */
export function userFormRoutes(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  addition(app, context, web)
  change(app, context, web)
}

function addition(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { database } = context
  const route = { url: `${url}/new`, scope: 'users:write' } as const
  const formOf = async (csrf: string, fields: UserFields, faults: string[]) => {
    const [firms, roles] = await Promise.all([database.run(listFirms, []), database.run(listRoles, [])])
    return <NewUserForm csrf={csrf} fields={fields} faults={faults} firms={firms} roles={roles} />
  }
  operatorPage(app, context, web, route, async ({ csrf, show }) =>
    show({ title: 'New user', section: 'users', body: await formOf(csrf, {}, []) }),
  )
  operatorPage<{ Body: UserFields }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { body: UserFields } },
    async ({ request, reply, origin, csrf, show }) => {
      const { id = '', firm = '', email = '', name = '', role = '' } = request.body
      const outcome = await createUser(database, origin, { id, firm, email, name, role })
      if (outcome.kind === 'done') return reply.redirect(`${userAddress(outcome.id)}?done=added`, 303)
      const body = await formOf(csrf, request.body, faultsOf(outcome.reasons))
      return show({ title: 'New user', section: 'users', body }, 422)
    },
  )
}

function change(app: FastifyInstance, context: Context, web: ConsoleWeb): void {
  const { config, database } = context
  // A role decides what the user sees, and mails with links go to the address.
  const route = { url: `${url}/:id/edit`, scope: 'directory:write', recent: true } as const
  const schema = { params: UserParams }
  operatorPage<UserRoute>(app, context, web, { ...route, schema }, async ({ request, csrf, show }) => {
    const user = await findUser(database, request.params.id)
    if (!user) return showMissing(show, 'users', 'user')
    const roles = await database.run(listRoles, [])
    const body = <UserForm id={user.id} csrf={csrf} fields={user} faults={[]} roles={roles} />
    return show({ title: `Change ${user.name}`, section: 'users', body })
  })
  operatorPage<UserRoute & { Body: UserFields }>(
    app,
    context,
    web,
    { ...route, method: 'POST', schema: { ...schema, body: UserFields } },
    async ({ request, reply, origin, csrf, show }) => {
      const { id } = request.params
      const { email = '', name = '', role = '' } = request.body
      const outcome = await changeUser(database, origin, id, { email, name, role }, reservedIn(config))
      if (outcome.kind === 'done') return reply.redirect(`${userAddress(outcome.id)}?done=saved`, 303)
      if (outcome.kind === 'unknown') return showMissing(show, 'users', 'user')
      const roles = await database.run(listRoles, [])
      const form = { id, csrf, fields: request.body, faults: refusalOf(outcome), roles }
      return show({ title: 'Change the user', section: 'users', body: <UserForm {...form} /> }, 422)
    },
  )
}

function refusalOf(outcome: Exclude<UserChange, { kind: 'done' | 'unknown' }>): string[] {
  if (outcome.kind === 'refused') return faultsOf(outcome.reasons)
  return ['An import or other changes of the directory are running. Nothing was changed. Try again.']
}

function faultsOf(reasons: string[]): string[] {
  return [`Nothing was changed: ${reasons.join('; ')}.`]
}

function NewUserForm(props: {
  csrf: string
  fields: UserFields
  faults: string[]
  firms: ListedFirm[]
  roles: ListedRole[]
}) {
  const { csrf, fields, faults, firms, roles } = props
  return (
    <>
      <PageHead
        title="New user"
        back={{ label: 'Users', href: url }}
        intro="For a user who does not come with the data of the platform. After that, invite the user to set a password."
      />
      <Faults faults={faults} />
      <PostForm action={`${url}/new`} csrf={csrf}>
        <Field
          name="id"
          label="Id"
          hint="The id of the platform. It never changes."
          value={fields.id}
          maxLength={64}
          required
        />
        <Select
          name="firm"
          label="Firm"
          value={fields.firm}
          choices={Object.fromEntries(firms.map(({ id, name }) => [id, name]))}
        />
        <SharedFields fields={fields} roles={roles} />
        <button type="submit">Add the user</button>
      </PostForm>
    </>
  )
}

function UserForm(props: {
  id: string
  csrf: string
  fields: UserFields
  faults: string[]
  roles: ListedRole[]
}) {
  const { id, csrf, fields, faults, roles } = props
  const address = userAddress(id)
  return (
    <>
      <PageHead
        title="Change the user"
        back={{ label: 'The user', href: address }}
        intro="The next import or change by API that has other values sets them again."
      />
      <Faults faults={faults} />
      <PostForm action={`${address}/edit`} csrf={csrf}>
        <SharedFields fields={fields} roles={roles} />
        <button type="submit">Save</button>
      </PostForm>
    </>
  )
}

function SharedFields({ fields, roles }: { fields: UserFields; roles: ListedRole[] }) {
  return (
    <>
      <Field
        name="email"
        label="Email address"
        hint="The user signs in with it."
        value={fields.email}
        maxLength={254}
        required
      />
      <Field name="name" label="Name" value={fields.name} required />
      <Select
        name="role"
        label="Role"
        hint="It decides which households the user sees."
        value={fields.role}
        choices={Object.fromEntries(roles.map(({ name }) => [name, name]))}
      />
    </>
  )
}
