import type { ComponentChildren } from 'preact'
import type { ExplainedRequest } from '../request-log/requests.ts'
import { Exact, Id, LongName, State } from './page-parts.tsx'
import { type Column, Table } from './table.tsx'

type Call = Pick<
  ExplainedRequest,
  'at' | 'place' | 'request_id' | 'method' | 'route' | 'status' | 'ms' | 'code'
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
        { label: 'Reason', cell: ({ code, outcome }) => <LongName>{code || outcome || '–'}</LongName> },
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
