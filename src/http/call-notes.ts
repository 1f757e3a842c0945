import type { FastifyRequest } from 'fastify'

/** What the request log says about a call besides its route and status. */
export type CallNotes = {
  /** Names the partner and the user. */
  grantId?: string | null | undefined
  /** If the grant is not known. */
  clientId?: string | undefined
  /** False: the caller has not proved to be `clientId`. True by default, if there is a grant or a client. */
  isAuthenticated?: boolean
  /** The partner requested this failure in a sandbox. */
  isSimulated?: boolean
  /** The reason, as in the log. */
  outcome?: string
  /** Of the error: its code, the place on its page, and its text for the caller. */
  code?: string
  anchor?: string | undefined
  detail?: string
}

/** Not a decorator: Fastify's request for an address that it cannot parse has none, and reading one would end the process. */
const notesOf = new WeakMap<FastifyRequest, CallNotes>()

/** Adds to the notes about this request. They must not contain a secret, or text that the caller chose. */
export function noteCall(request: FastifyRequest, more: CallNotes): void {
  const notes = notesOf.get(request)
  notesOf.set(request, notes ? { ...notes, ...more } : more)
}

export function callNotes(request: FastifyRequest): CallNotes | undefined {
  return notesOf.get(request)
}
