import type { FastifyReply } from 'fastify'
import { sendNotFound } from '../http/api-edge.ts'

/** The same answer in both cases, byte for byte: the difference would tell which ids exist. */
export function sendNoSuchHousehold(reply: FastifyReply): FastifyReply {
  return sendNotFound(reply, 'there is no such household, or this user may not see it')
}
