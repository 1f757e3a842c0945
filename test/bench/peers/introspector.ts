import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { Credentials } from '../world.ts'

/** The introspection endpoint, and a client that may call it. */
export type Introspection = Credentials & { url: string }

const answer = Compile(Type.Object({ active: Type.Boolean(), sub: Type.Optional(Type.String()) }))

/** @returns the user of the token, or undefined if the token is not active */
export type Introspect = (token: string) => Promise<string | undefined>

/** Introspects tokens over keep-alive connections, one request at a time on each. */
export function introspector({ url, clientId, clientSecret }: Introspection): Introspect {
  const options = {
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
  return async (token) => {
    const body = new URLSearchParams({
      token,
      token_type_hint: 'access_token',
      client_id: clientId,
      client_secret: clientSecret,
    }).toString()
    const response = await new Promise<string>((resolve, reject) => {
      const sent = request(url, options, (incoming) => void text(incoming).then(resolve, reject))
      sent.on('error', reject).end(body)
    })
    const { active, sub } = answer.Parse(JSON.parse(response))
    return active ? sub : undefined
  }
}
