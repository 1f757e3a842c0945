import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import Type from 'typebox'
import { Compile } from 'typebox/compile'

/** Where to ask, and the client that may. */
export type Introspection = { url: string; clientId: string; clientSecret: string }

const answer = Compile(Type.Object({ active: Type.Boolean(), sub: Type.Optional(Type.String()) }))

/** @returns the user whose token it is, or undefined for one that is not live */
export type Introspect = (token: string) => Promise<string | undefined>

/** Asks the authorization server about one token at a time on each connection, and keeps the connections. */
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
    const said = await new Promise<string>((resolve, reject) => {
      const asked = request(url, options, (response) => void text(response).then(resolve, reject))
      asked.on('error', reject).end(body)
    })
    const { active, sub } = answer.Parse(JSON.parse(said))
    return active ? sub : undefined
  }
}
