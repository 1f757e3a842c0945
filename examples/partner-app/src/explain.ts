import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { ApiError, Refused } from './errors.ts'

export interface Explanation {
  status: number
  title: string
  detail: string
  requestId?: string | undefined
}

/** Turns an error into a status and texts for the user. */
export function explain(error: unknown): Explanation {
  if (error instanceof Refused) return { status: error.status, title: error.title, detail: error.message }
  if (error instanceof ApiError) {
    const { status, title, message: detail, requestId } = error
    return { status, title, detail, requestId }
  }
  if (error instanceof AuthorizationResponseError && error.error === 'access_denied') {
    return {
      status: 403,
      title: 'You did not connect',
      detail: 'Nothing is shared with this app. You can connect at any time.',
    }
  }
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const { error: code, error_description: description = 'It sent no description.' } = error
    return { status: 502, title: 'The platform refused the request', detail: `${description} (${code})` }
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return {
      status: 502,
      title: 'The platform refused the request',
      detail: 'It does not accept the client id and secret of this app.',
    }
  }
  if (isInvalidResponse(error)) {
    return {
      status: 502,
      title: 'The platform sent no valid response',
      detail: 'It may be unavailable. Try again in a moment.',
    }
  }
  return {
    status: 500,
    title: 'Something went wrong',
    detail: 'This is an error of this app. Try again later.',
  }
}

/** Also for a timeout, and for a server that cannot be reached. */
function isInvalidResponse(error: unknown) {
  return (
    error instanceof ClientError ||
    error instanceof SyntaxError ||
    (error instanceof DOMException && error.name === 'TimeoutError') ||
    (error instanceof TypeError && error.message === 'fetch failed')
  )
}
