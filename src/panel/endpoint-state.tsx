import type { Endpoint } from '../webhooks/endpoints.sql.ts'
import { State } from './page-parts.tsx'

/** The state of a webhook endpoint. */
export function EndpointState({ endpoint }: { endpoint: Pick<Endpoint, 'status' | 'failing_since'> }) {
  if (endpoint.status === 'disabled') return <State tone="danger">disabled</State>
  if (endpoint.failing_since !== null) return <State tone="warning">failing</State>
  return <State tone="ok">active</State>
}
