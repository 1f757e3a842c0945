import type { ComponentChildren } from 'preact'
import type { ExplainedRequest } from '../request-log/requests.ts'
import { Exact, Id, LongName, State } from './page-parts.tsx'
import { type Column, Table } from './table.tsx'

type Call = Pick<
  ExplainedRequest,
  'at' | 'place' | 'request_id' | 'method' | 'route' | 'status' | 'ms' | 'code' | 'error_page'
> & { outcome?: string }

/** Calls of the request log. Each leads to its explanation. */
export function RequestTable<Row extends Call>(props: {
  requests: Row[]
  empty: ComponentChildren
  next?: string | undefined
  /** The page that explains the call. */
  address: (call: Row) => string
  /** Between the reason and the duration: who called. */
  parties: Column<Row>[]
}) {
  const { address, parties } = props
  return (
    <Table
      caption="Calls, the newest first"
      rows={props.requests}
      keyOf={({ place, request_id: id }) => `${place} ${id}`}
      next={props.next}
      empty={props.empty}
      columns={[
        { label: 'Time', cell: ({ at }) => <Exact at={at} seconds /> },
        { label: 'Status', cell: ({ status, code }) => <Status of={status} code={code} /> },
        { label: 'Call', cell: (call) => <CallName {...call} /> },
        { label: 'Reason', cell: (call) => <Reason {...call} /> },
        ...parties,
        { label: 'ms', cell: ({ ms }) => Math.round(ms), isNumber: true },
        {
          label: 'Request id',
          cell: (call) => (
            <a href={address(call)}>
              <Id>{call.request_id}</Id>
            </a>
          ),
        },
      ]}
    />
  )
}

/** The code, and which of its causes it was, as the page of the error calls it. */
function Reason({ code, outcome, error_page: page }: Pick<Call, 'code' | 'outcome' | 'error_page'>) {
  const cause = page?.split('#', 2)[1]?.replaceAll('-', ' ')
  return (
    <>
      <LongName>{code || outcome || '–'}</LongName>
      {cause && <span class="sub">{cause}</span>}
    </>
  )
}

export function CallName({ method, route }: Pick<Call, 'method' | 'route'>) {
  return (
    <>
      {method} {route === '' ? 'an unknown address' : <code>{route}</code>}
    </>
  )
}

/** @param props.code of the error: an authorization request goes back to the application with a redirect */
export function Status({ of, code = '' }: { of: number; code?: string }) {
  const tone = of >= 500 ? 'danger' : of >= 400 || code !== '' ? 'warning' : 'ok'
  return <State tone={tone}>{String(of)}</State>
}
