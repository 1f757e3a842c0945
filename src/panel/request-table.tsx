import type { ComponentChildren } from 'preact'
import type { ExplainedRequest } from '../request-log/requests.ts'
import { Exact, Id, State } from './page-parts.tsx'
import { Table } from './table.tsx'

/** The addresses to which the table leads. */
export type RequestLinks = {
  request(id: string): string
  /** Absent: the reader sees no pages of users. */
  user?(id: string): string
}

/** Calls of the request log. Each leads to its explanation. */
export function RequestTable(props: {
  requests: ExplainedRequest[]
  empty: ComponentChildren
  next?: string | undefined
  /** Whether all are of one partner, whom the page names. */
  ofPartner?: boolean
  links: RequestLinks
}) {
  const { links } = props
  return (
    <Table
      caption="Calls, the newest first"
      rows={props.requests}
      keyOf={({ place, request_id: id }) => `${place} ${id}`}
      next={props.next}
      empty={props.empty}
      columns={[
        { label: 'Time', cell: ({ at }) => <Exact at={at} /> },
        { label: 'Status', cell: ({ status }) => <Status of={status} /> },
        {
          label: 'Call',
          cell: ({ method, route }) => (
            <>
              {method} {route === '' ? 'an unknown address' : <code>{route}</code>}
            </>
          ),
        },
        { label: 'Reason', cell: ({ code, outcome }) => code || outcome || '–' },
        ...(props.ofPartner
          ? []
          : [
              {
                label: 'Partner',
                cell: ({ client_id: id, partner_name: name }: ExplainedRequest) => (
                  <bdi>{name ?? id ?? 'unknown'}</bdi>
                ),
              },
            ]),
        {
          label: 'User',
          cell: ({ user_id: id }) => {
            if (id === null) return '–'
            return links.user ? <a href={links.user(id)}>{id}</a> : <bdi>{id}</bdi>
          },
        },
        { label: 'ms', cell: ({ ms }) => Math.round(ms), isNumber: true },
        {
          label: 'Request id',
          cell: ({ request_id: id }) => (
            <a href={links.request(id)}>
              <Id>{id}</Id>
            </a>
          ),
        },
      ]}
    />
  )
}

export function Status({ of }: { of: number }) {
  const tone = of >= 500 ? 'danger' : of >= 400 ? 'warning' : 'ok'
  return <State tone={tone}>{String(of)}</State>
}
