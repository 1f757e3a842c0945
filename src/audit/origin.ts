import os from 'node:os'
import type { FastifyRequest } from 'fastify'

/**
 * Who makes a change. `developer` and `developer_key`: a person of a partner, and a key of the partner's developers.
 * `provider`: the platform's identity provider, by back-channel logout. `secret_scanner`: a service that finds credentials in
 * public places. `system`: Latchkey itself, for example when a consent expires.
 */
type ActorKind =
  | 'operator'
  | 'api_key'
  | 'os_user'
  | 'user'
  | 'partner'
  | 'developer'
  | 'developer_key'
  | 'provider'
  | 'secret_scanner'
  | 'system'

/** Through which interface a change came. */
export type Via =
  | 'cli'
  | 'admin_api'
  | 'console'
  | 'developer_api'
  | 'developer_pages'
  | 'page'
  | 'api'
  | 'job'

/** Who makes a change, and from where. Every use case that changes something gets one, and the audit log records it. */
export type Origin = {
  actor: {
    kind: ActorKind
    /** Null: unknown, for example for a failed login. */
    id: string | null
    /** For people who read the log: the name of an operator or API key at that time. */
    name?: string
  }
  via: Via
  /** The IP address of the request. For a command: the name of the machine. */
  address?: string
  userAgent?: string
  requestId?: string
}

/** Bytes of a User-Agent that the audit log keeps. */
const maxUserAgent = 512

/** Whether a partner makes the change itself: one of its developers, or a program of theirs. */
export function isOfPartner({ actor }: Origin): boolean {
  return actor.kind === 'developer' || actor.kind === 'developer_key'
}

/** The origin of a change that a request makes. */
export function originOf(request: FastifyRequest, via: Via, actor: Origin['actor']): Origin {
  const userAgent = request.headers['user-agent']?.slice(0, maxUserAgent)
  return { actor, via, address: request.ip, requestId: request.id, ...(userAgent && { userAgent }) }
}

/** The origin of what a user does on a page. Null: the user is not known yet. */
export function pageOrigin(request: FastifyRequest, userId: string | null): Origin {
  return originOf(request, 'page', { kind: 'user', id: userId })
}

/** The origin of a change that a person makes with a command. */
export function commandOrigin(): Origin {
  return { actor: { kind: 'os_user', id: osUser() }, via: 'cli', address: os.hostname() }
}

/** A container may run under a number that has no name: `uid 1000680000`. */
function osUser(): string {
  try {
    return os.userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** The origin of a change that Latchkey makes by itself. */
export const systemOrigin: Origin = { actor: { kind: 'system', id: null }, via: 'job' }

/** The value of the parameter `origin` of `auditRow`. */
export function originValue({ actor, via, address, userAgent, requestId }: Origin): string {
  return JSON.stringify({
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    via,
    address,
    user_agent: userAgent,
    request_id: requestId,
  })
}
