import { ConnectionEnded, LatchkeyError } from '@latchkey/client'
import { Refused } from './errors.ts'

export interface Explanation {
  status: number
  title: string
  detail: string
  requestId?: string | undefined
}

/** Turns an error into a status and texts for the user. */
export function explain(error: unknown): Explanation {
  if (error instanceof Refused) return { status: error.status, title: error.title, detail: error.message }
  if (error instanceof ConnectionEnded) {
    const detail =
      error.code === 'not_connected'
        ? 'Connect to see households.'
        : 'The connection has ended. Connect again to continue.'
    return { status: 403, title: 'Not connected', detail }
  }
  if (error instanceof LatchkeyError) return explainLatchkey(error)
  return {
    status: 500,
    title: 'Something went wrong',
    detail: 'This is an error of this app. Try again later.',
  }
}

function explainLatchkey({ code, detail, status, requestId }: LatchkeyError): Explanation {
  switch (code) {
    case 'access_denied':
      return {
        status: 403,
        title: 'You did not connect',
        detail: 'Nothing is shared with this app. You can connect at any time.',
      }
    case 'invalid_webhook':
    case 'state_mismatch':
      return { status: 400, title: 'Not connected', detail }
    case 'invalid_parameter':
    case 'not_found':
    case 'too_many_requests':
      return { status: status ?? 502, title: 'The platform refused the request', detail, requestId }
    case 'network_error':
    case 'invalid_response':
      return {
        status: 502,
        title: 'The platform sent no valid response',
        detail: 'It may be unavailable. Try again in a moment.',
        requestId,
      }
    default:
      return {
        status: 502,
        title: 'The platform refused the request',
        detail: `${detail} (${code})`,
        requestId,
      }
  }
}
