/**
 * The part of an OpenID Provider that a login calls after the user has come back: metadata, keys and the token endpoint. The
 * first message asks for its address. The second is the address of its client's keys, with which the client must authenticate.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import Type from 'typebox'
import { Compile } from 'typebox/compile'

/** What the user signed in to. The code is this object in base64url, so that the provider stores nothing. */
export type SignedIn = { user: string; email: string; nonce: string }

const code = Compile(Type.Object({ user: Type.String(), email: Type.String(), nonce: Type.String() }))
const algorithm = 'ES256'
const { publicKey, privateKey } = await generateKeyPair(algorithm)
const publicJwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: algorithm, use: 'sig' }

let issuer = ''
let clientKeys: ReturnType<typeof createRemoteJWKSet> | undefined

const server = createServer((request, response) => {
  answer(request).then(
    (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
    (error) => response.writeHead(500).end(String(error)),
  )
})

async function answer(request: IncomingMessage): Promise<object> {
  switch (request.url) {
    case '/.well-known/openid-configuration':
      return metadata()
    case '/keys':
      return { keys: [publicJwk] }
    case '/token':
      return tokens(new URLSearchParams(await text(request)))
    default:
      throw new Error(`no such address: ${request.url}`)
  }
}

function metadata(): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
    token_endpoint_auth_methods_supported: ['private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: [algorithm],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
}

async function tokens(form: URLSearchParams): Promise<object> {
  if (!clientKeys) throw new Error('the keys of the client are not known')
  const assertion = form.get('client_assertion') ?? ''
  const options = { algorithms: [algorithm], requiredClaims: ['jti', 'exp'] }
  const { payload: client } = await jwtVerify(assertion, clientKeys, options)
  const { user, email, nonce } = code.Parse(
    JSON.parse(Buffer.from(form.get('code') ?? '', 'base64url').toString()),
  )
  const claims = { nonce, email, email_verified: true, acr: 'urn:example:mfa', amr: ['pwd', 'mfa'] }
  const idToken = await new SignJWT({ ...claims, auth_time: Math.floor(Date.now() / 1000), sid: nonce })
    .setProtectedHeader({ alg: algorithm, kid: publicJwk.kid })
    .setIssuer(issuer)
    .setSubject(user)
    .setAudience(client.iss ?? '')
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(privateKey)
  return { access_token: nonce, token_type: 'Bearer', expires_in: 300, id_token: idToken }
}

server.listen(0, '127.0.0.1')
process.on('message', (message: string) => {
  if (message !== 'address') {
    clientKeys = createRemoteJWKSet(new URL(message))
    process.send?.('ready')
    return
  }
  const reply = () => {
    const address = server.address()
    issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    process.send?.(issuer)
  }
  if (server.listening) reply()
  else server.once('listening', reply)
})
process.on('disconnect', () => process.exit())
