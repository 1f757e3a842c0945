/** The app refuses the request. The user sees the message. */
export class Refused extends Error {
  readonly status: number
  readonly title: string

  constructor(status: number, title: string, message: string) {
    super(message)
    this.status = status
    this.title = title
  }
}

export class NotConnected extends Refused {
  constructor(message: string) {
    super(403, 'Not connected', message)
  }
}

/** An error response of the API, with the texts and the request id of its problem document (RFC 9457). */
export class ApiError extends Error {
  readonly status: number
  readonly title: string
  readonly requestId: string | undefined

  constructor(status: number, problem: { title: string; detail?: string; request_id?: string }) {
    super(problem.detail ?? '')
    this.status = status
    this.title = problem.title
    this.requestId = problem.request_id
  }
}
