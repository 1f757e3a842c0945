import { auditEvents, targetKinds } from '../audit/events.ts'
import { jsonResponse } from '../management/operation.ts'
import { closed, pageOf, pageQuery } from '../management/page.ts'
import { nullableText, oneOf } from '../management/schemas.ts'
import Type from '../typebox.ts'
import { describeRoute } from './admin-edge.ts'

const AuditRecord = Type.Object(
  {
    id: Type.String({ description: 'Identifies the record.' }),
    at: Type.String({ format: 'date-time', description: 'When the change was made, to the microsecond.' }),
    transaction: Type.String({ description: 'The number of the transaction in the database.' }),
    place: nullableText('The place in the chain of hashes. Null: it is chained within seconds.'),
    event: oneOf(auditEvents, 'What happened.'),
    actor_kind: Type.String({
      description: 'Who did it: `os_user`, `api_key`, `operator`, `user`, `partner` …',
    }),
    actor_id: nullableText('The id of the actor. Null: unknown, or the system.'),
    actor_name: nullableText('The name of the actor at that time.'),
    via: Type.String({
      description:
        'Through which interface: `cli`, `admin_api`, `console`, `developer_api`, `developer_pages`, `page`, `api` or `job`.',
    }),
    address: nullableText('The IP address, or the machine of a command.'),
    user_agent: nullableText('The program of the request.'),
    request_id: nullableText('The `X-API-Request-ID` of the request.'),
    target_kind: oneOf(targetKinds, 'What was changed.'),
    target_id: Type.String({ description: 'The id of what was changed.' }),
    firm_id: nullableText('The firm that it is about.'),
    user_id: nullableText('The user whom it is about.'),
    client_id: nullableText('The partner that it is about.'),
    details: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'Before and after, the cause, counts. Never secrets.',
    }),
  },
  { $id: 'AuditRecord', description: 'A record of the audit log.' },
)

const instant = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', pattern: '^[1-9]', description }))

const id = (description: string) => Type.Optional(Type.String({ maxLength: 254, description }))

const tag = 'Audit' as const

export const listAuditRoute = describeRoute({
  method: 'GET',
  url: '/audit',
  scope: 'audit:read',
  schema: {
    querystring: closed({
      ...pageQuery,
      user_id: id('Only records about this user.'),
      client_id: id('Only records about this partner.'),
      firm_id: id('Only records about this firm.'),
      event: Type.Optional(oneOf(auditEvents, 'Only this event.')),
      actor_kind: id('Only what actors of this kind did.'),
      actor_id: id('Only what this actor did.'),
      target_kind: Type.Optional(oneOf(targetKinds, 'Only changes of this kind of thing.')),
      target_id: id('Only changes of the thing with this id.'),
      request_id: id('Only records of this request.'),
      since: instant('Only records at or after this instant.'),
      until: instant('Only records before this instant.'),
    }),
  },
  operation: {
    operationId: 'listAudit',
    tag,
    summary: 'Search the audit log',
    description: 'Records that meet all filters, the newest first.',
    responses: { 200: jsonResponse(pageOf('AuditPage', AuditRecord, 'records'), 'A page.', ['Link']) },
  },
})

export const exportAuditRoute = describeRoute({
  method: 'POST',
  url: '/audit/exports',
  scope: 'audit:read',
  schema: {
    body: closed(
      {
        since: instant('Only records at or after this instant.'),
        until: instant('Only records before this instant.'),
      },
      { $id: 'AuditExport', description: 'What is exported.' },
    ),
  },
  operation: {
    operationId: 'exportAudit',
    tag,
    summary: 'Export the audit log',
    description:
      'One event of OCSF (IAM classes) on each line, in the order of the chain. The first line has a signed seal, with which `latchkey audit verify --export` finds missing lines. The export itself is recorded.',
    responses: {
      200: {
        description: 'The events. If the answer breaks off, the connection does too.',
        headers: ['X-API-Request-ID', 'Cache-Control'],
        mediaType: 'application/x-ndjson',
        schema: Type.Unsafe<string>({ description: 'Lines of JSON.' }),
      },
    },
  },
})
