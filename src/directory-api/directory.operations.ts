import { describeRoute } from '../admin/admin-edge.ts'
import { type ChangeType, changeTypes, mostRows } from '../import/change-set.ts'
import { jsonResponse, noContent } from '../management/operation.ts'
import { closed, pageOf, pageQuery } from '../management/page.ts'
import { nullableInstant } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { directoryReads, rowSchemas } from './directory-rows.sql.ts'

/** Bytes of the body of a request with many rows. */
const mostBytes = 16 * 1024 * 1024

const count = (description: string) => Type.Integer({ minimum: 0, description })

const Counts = Type.Object(
  {
    added: count('New rows.'),
    changed: count('Rows that existed and are different now.'),
    unchanged: count('Rows that existed and were the same.'),
    deleted: count('Deleted rows.'),
    missing: count('Rows to delete that did not exist.'),
  },
  { $id: 'DirectoryCounts', description: 'What happened to the rows of one type.' },
)

const Changed = Type.Object(
  {
    changed_at: nullableInstant(
      'The instant of the change, as partners see it in `as_of`. Null: the request changed nothing.',
    ),
    counts: Type.Record(Type.String(), Counts, { description: 'By type. Types without rows are absent.' }),
    kept_disabled: Type.Array(Type.String(), {
      description:
        'Users who are active in the request and stay disabled, because the operator disabled them.',
    }),
    weaker_logins: Type.Object(
      {
        users: Type.Array(Type.String(), {
          description: 'Users whose new firm or role requires a weaker login than the old one.',
        }),
        removed: Type.Array(Type.String(), {
          description: 'Deleted firms and roles with settings of logins, as `firm f1`.',
        }),
      },
      { description: 'What the request takes away from required logins.' },
    ),
  },
  { $id: 'DirectoryChanged', description: 'What a request changed.' },
)

const Change = Type.Object(
  {
    op: Type.Unsafe<string>({
      type: 'string',
      enum: ['upsert', 'delete'],
      description: '`upsert` stores the whole row: a field that is absent is empty afterwards.',
    }),
    type: Type.Unsafe<string>({
      type: 'string',
      enum: Object.keys(changeTypes),
      description: 'What the row is. Its further fields are the columns of the file of this type.',
    }),
  },
  {
    $id: 'DirectoryChange',
    description: 'One line. To delete a row, send its key alone.',
    additionalProperties: { type: ['string', 'null'] },
  },
)

export const postChanges = describeRoute({
  method: 'POST',
  url: '/directory/changes',
  scope: 'directory:write',
  creates: 'itself',
  text: { mediaType: 'application/x-ndjson', schema: Change },
  bodyLimit: mostBytes,
  operation: {
    operationId: 'changeDirectory',
    tag: 'Directory',
    summary: 'Change many rows',
    description: `One JSON object on each line, at most ${mostRows} and 16 MiB: \`{"op":"upsert","type":"household","id":"h1","firm_id":"f1","name":"Miller"}\` or \`{"op":"delete","type":"household","id":"h1"}\`. The rules are those of the files of \`latchkey import\`. All rows are stored or none; the order of the lines does not matter, and each row may be on one line only. All faults are named by line and field, at most 1,000. A row to which another row refers can be deleted only with it. Partners see the change with their next call. 503: an import or other changes were running for two seconds. Nothing was changed.`,
    responses: { 200: jsonResponse(Changed, 'What was changed.', ['Idempotency-Replayed']) },
  },
})

const fieldTexts: Record<string, string> = {
  password: 'A password in plain text, for example of a test user. Absent: the user keeps the password.',
  password_hash: 'A password hash of another system. Absent: the user keeps the password.',
}

/** What the operations of one type have in common. */
function shapeOf(type: ChangeType, path: string) {
  const { columns, key, noun } = changeTypes[type]
  const params = Type.Object(
    Object.fromEntries(
      key.map((name) => [keyParameter(type, name), Type.String({ description: `The key \`${name}\`.` })]),
    ),
  )
  const fields = columns
    .filter(({ name }) => !key.includes(name))
    .map(({ name, required }) => {
      const description = fieldTexts[name] ?? `\`${name}\` of the ${noun}, as in its file.`
      const optional = { type: ['string', 'null'], description }
      return [name, required ? Type.String({ description }) : Type.Optional(Type.Unsafe(optional))] as const
    })
  const url = `/directory/${path}`
  const one = `${url}/${key.map((column) => `:${keyParameter(type, column)}`).join('/')}`
  return { params, fields, url, one, noun, schema: rowSchemas[type], name: operationName(type) }
}

/** The operations of one type. */
export function operationsOf(type: ChangeType, path: string) {
  const shape = shapeOf(type, path)
  return {
    list: listOperation(type, shape),
    read: readOperation(shape),
    put: putOperation(shape),
    remove: removeOperation(type, shape),
  }
}

type Shape = ReturnType<typeof shapeOf>

function listOperation(type: ChangeType, { url, schema, name }: Shape) {
  const filters = Object.keys(directoryReads[type].filtered).map(
    (column) =>
      [column, Type.Optional(Type.String({ description: `Only rows with this \`${column}\`.` }))] as const,
  )
  return describeRoute({
    method: 'GET',
    url,
    scope: 'directory:read',
    schema: { querystring: closed({ ...pageQuery, ...Object.fromEntries(filters) }) },
    operation: {
      operationId: `listDirectory${name.many}`,
      tag: 'Directory',
      summary: `List ${name.texts}`,
      description: 'In the order of their keys.',
      responses: {
        200: jsonResponse(pageOf(`Directory${name.many}Page`, schema, name.texts), 'A page.', ['Link']),
      },
    },
  })
}

function readOperation({ one, params, schema, name, noun }: Shape) {
  return describeRoute({
    method: 'GET',
    url: one,
    scope: 'directory:read',
    schema: { params },
    operation: {
      operationId: `getDirectory${name.one}`,
      tag: 'Directory',
      summary: `Read one ${noun}`,
      description: 'As it is stored. Passwords and their hashes are never shown.',
      responses: { 200: jsonResponse(schema, `The ${noun}.`) },
      problems: [404],
    },
  })
}

function putOperation({ one, params, fields, schema, name, noun }: Shape) {
  return describeRoute({
    method: 'PUT',
    url: one,
    scope: 'directory:write',
    schema: { params, ...(fields.length > 0 && { body: closed(Object.fromEntries(fields)) }) },
    operation: {
      operationId: `putDirectory${name.one}`,
      tag: 'Directory',
      summary: `Create or replace one ${noun}`,
      description:
        'Stores the whole row, by the rules of the files of `latchkey import`. A field that is absent is empty afterwards, except the password. 503: an import or other changes were running for two seconds. Nothing was changed.',
      responses: {
        200: jsonResponse(schema, `The ${noun}, which existed.`),
        201: jsonResponse(schema, `The new ${noun}.`, ['Location']),
      },
      problems: [422],
    },
  })
}

function removeOperation(type: ChangeType, { one, params, name, noun }: Shape) {
  return describeRoute({
    method: 'DELETE',
    url: one,
    scope: 'directory:write',
    schema: { params },
    operation: {
      operationId: `deleteDirectory${name.one}`,
      tag: 'Directory',
      summary: `Delete one ${noun}`,
      description:
        type === 'user'
          ? 'Also ends the user’s sessions, and the connections of the user’s partners. 409: account access refers to the user.'
          : '409: another row refers to it.',
      responses: { 204: noContent },
      problems: [404, 409],
    },
  })
}

/** The name of a column of the key in a path. */
export function keyParameter(type: ChangeType, column: string): string {
  return type === 'role' ? 'id' : column
}

function operationName(type: ChangeType): { one: string; many: string; texts: string } {
  const one = type.charAt(0).toUpperCase() + type.slice(1)
  return type === 'access'
    ? { one, many: one, texts: 'account access' }
    : { one, many: `${one}s`, texts: `${type}s` }
}
