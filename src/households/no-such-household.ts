import type { FastifyReply } from 'fastify'
import { checkId } from '../directory/values.ts'
import { sendNotFound } from '../http/api-edge.ts'

/** The id to look for; what cannot be one becomes empty, which no id is. */
export function findableId(id: string): string {
  return checkId(id) === null ? id : ''
}

/** The same answer in both cases, byte for byte: the difference would tell which ids exist. */
export function sendNoSuchHousehold(reply: FastifyReply): FastifyReply {
  return sendNotFound(reply, 'there is no such household, or this user may not see it')
}
