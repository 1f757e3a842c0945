import type { FastifyReply } from 'fastify'
import pLimit from 'p-limit'
import { sendProblem } from '../http/api-edge.ts'

/** So many entries before it make a page a far one. Clients that follow `Link` never ask for any. */
const far = 10_000n

const readAtOnce = 2
const mayWait = 16

/**
 * Keeps pages that are asked for by a large number, for each of which all entries before it are read, from taking every
 * connection to the database. One for each process.
 */
export type FarPages = {
  /** Reads a page that so many entries come before, in its turn; undefined, with nothing done, when too many wait already. */
  admit<T>(entriesBefore: bigint, read: () => Promise<T>): Promise<T> | undefined
}

export function farPages(): FarPages {
  const places = pLimit(readAtOnce)
  return {
    admit(entriesBefore, read) {
      if (entriesBefore < far) return read()
      return places.pendingCount < mayWait ? places(read) : undefined
    },
  }
}

export function sendTooManyFarPages(reply: FastifyReply): FastifyReply {
  const detail =
    'too many pages with as large a number are being read; follow the rel="next" of Link instead, which costs no more however far it leads'
  return sendProblem(reply.header('retry-after', '5'), 'unavailable', detail)
}
