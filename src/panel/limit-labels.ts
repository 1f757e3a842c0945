import type { LimitName } from '../limit-settings.ts'

export const limitLabels: Record<LimitName, string> = {
  requests_per_minute: 'Calls per minute',
  requests_per_user_per_minute: 'Calls per user and minute',
  token_requests_per_minute: 'Token requests per minute',
  refreshes_per_connection_per_minute: 'Refreshes per connection and minute',
  expensive_reads: 'Expensive reads at the same time',
}
