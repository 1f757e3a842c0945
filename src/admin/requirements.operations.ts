import { requirableAcrs } from '../acr.ts'
import { jsonResponse } from '../management/operation.ts'
import { closed } from '../management/page.ts'
import { nullableText, oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'

const requireAcr = nullableText('The weakest login with which the users may connect. Null: any.')
const localPasswords = Type.Boolean({ description: 'Whether the users may log in with a password here.' })
const newAcr = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  enum: [...requirableAcrs, null],
  description: 'The weakest login with which the users may connect. Null: any.',
})

const Firm = Type.Object(
  {
    id: Type.String({ description: 'The firm.' }),
    name: Type.String({ description: 'Its name.' }),
    require_acr: requireAcr,
    local_passwords: localPasswords,
  },
  { $id: 'Firm', description: 'How the users of a firm log in.' },
)

const Role = Type.Object(
  {
    name: Type.String({ description: 'The role.' }),
    sees: oneOf(['firm', 'granted'], 'What it sees: all households of the firm, or those with access.'),
    require_acr: requireAcr,
  },
  { $id: 'Role', description: 'How strongly the users of a role log in.' },
)

const list = (name: string, item: typeof Firm | typeof Role, what: string) =>
  jsonResponse(
    Type.Object(
      { data: Type.Array(item, { description: `All ${what}.` }) },
      { $id: name, description: `All ${what}.` },
    ),
    `The ${what}.`,
  )

const tag = 'Settings' as const

export const listFirmsRoute = describeRoute({
  method: 'GET',
  url: '/firms',
  scope: 'settings:read',
  operation: {
    operationId: 'listFirms',
    tag,
    summary: 'List how the users of each firm log in',
    description: 'The rows themselves are at `listDirectoryFirms`.',
    responses: { 200: list('FirmList', Firm, 'firms') },
  },
})

export const updateFirmRoute = describeRoute({
  method: 'PATCH',
  url: '/firms/:id',
  scope: 'settings:write',
  schema: {
    params: Type.Object({ id: Type.String({ description: 'The id of a firm.' }) }),
    body: closed(
      { require_acr: Type.Optional(newAcr), local_passwords: Type.Optional(localPasswords) },
      {
        $id: 'FirmChanges',
        minProperties: 1,
        description: 'What to change. An absent field stays as it is.',
      },
    ),
  },
  operation: {
    operationId: 'updateFirm',
    tag,
    summary: 'Change how the users of a firm log in',
    description: 'It applies to the next login and the next call. Imports do not change it.',
    responses: { 200: jsonResponse(Firm, 'The firm.') },
    problems: [404],
  },
})

export const listRolesRoute = describeRoute({
  method: 'GET',
  url: '/roles',
  scope: 'settings:read',
  operation: {
    operationId: 'listRoles',
    tag,
    summary: 'List how strongly the users of each role log in',
    description: 'The rows themselves are at `listDirectoryRoles`.',
    responses: { 200: list('RoleList', Role, 'roles') },
  },
})

export const updateRoleRoute = describeRoute({
  method: 'PATCH',
  url: '/roles/:name',
  scope: 'settings:write',
  schema: {
    params: Type.Object({ name: Type.String({ description: 'The name of a role.' }) }),
    body: closed({ require_acr: newAcr }, { $id: 'RoleChanges', description: 'What to change.' }),
  },
  operation: {
    operationId: 'updateRole',
    tag,
    summary: 'Change how strongly the users of a role log in',
    description: 'It applies to the next login and the next call. Imports do not change it.',
    responses: { 200: jsonResponse(Role, 'The role.') },
    problems: [404],
  },
})
