import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { pageOfImports } from '../import/past-imports.sql.ts'
import { jsonResponse } from '../management/operation.ts'
import {
  closed,
  isRowId,
  pageAnswer,
  pageOf,
  pageQuery,
  pageRequestOf,
  withFilters,
} from '../management/page.ts'
import { count, instant, nullableText } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { adminAddress } from './admin-document.ts'
import { adminRoute, describeRoute } from './admin-edge.ts'

const ImportedFile = Type.Object(
  {
    added: count('Rows that are new.'),
    changed: count('Rows that have changed.'),
    unchanged: count('Rows that were there already.'),
    removed: Type.Optional(count('Rows that were removed, because the file did not have them.')),
    sha256: Type.Optional(Type.String({ description: 'SHA-256 of the file, in hexadecimal.' })),
  },
  { $id: 'ImportedFile', description: 'What an import has done with one file.' },
)

const Import = Type.Object(
  {
    id: Type.String({ description: 'The id of its row in the audit log.' }),
    at: instant('When the import was stored.'),
    actor_kind: Type.String({ description: 'Who imported: `os_user` for a command.' }),
    actor_id: nullableText('The name of the operating system user, for example.'),
    address: nullableText('The machine.'),
    files: Type.Unsafe<unknown>({
      type: 'object',
      additionalProperties: ImportedFile,
      description: 'What has changed, by file.',
    }),
    pruned: Type.Boolean({ description: 'Whether rows that the files did not have were removed.' }),
  },
  { $id: 'Import', description: 'An import of CSV files.' },
)

const listImportsRoute = describeRoute({
  method: 'GET',
  url: '/imports',
  scope: 'directory:read',
  schema: { querystring: closed(pageQuery) },
  operation: {
    operationId: 'listImports',
    tag: 'Directory',
    summary: 'List past imports',
    description: 'Imports of CSV files, the latest first, for as long as the audit log keeps them.',
    responses: { 200: jsonResponse(pageOf('ImportPage', Import, 'imports'), 'A page.', ['Link']) },
  },
})

export function importRoutes(app: FastifyInstance, context: Context): void {
  adminRoute(app, context, listImportsRoute, async ({ request: { query }, database }) => {
    const page = pageRequestOf(query)
    const before = page.after !== null && isRowId(page.after) ? page.after : null
    const rows = await database.run(pageOfImports, [before, page.limit])
    const address = withFilters(adminAddress(context.config, 'imports'), query)
    return pageAnswer(address, page, rows, ({ id }) => id)
  })
}
