import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { adminCaller, newKey } from '../support/admin.ts'
import { codeFor, tokensFor } from '../support/connection.ts'
import { query } from '../support/database.ts'
import { seed } from '../support/directory.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, refresh, token } from '../support/journey.ts'
import { mailboxFixture } from '../support/mailbox.ts'
import { freePort } from '../support/ports.ts'

const scanner = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const scannerKeys = {
  public_keys: [
    {
      key_identifier: 'key-1',
      key: scanner.publicKey.export({ type: 'spki', format: 'pem' }),
      is_current: true,
    },
  ],
}
const keysPort = await freePort()
let isScannerAway = true
const keyServer = createServer((_request, response) => {
  if (isScannerAway) response.destroy()
  else response.end(JSON.stringify(scannerKeys))
})
await new Promise<void>((resolve) => keyServer.listen(keysPort, '127.0.0.1', resolve))
afterAll(() => keyServer.close())

const mailbox = await mailboxFixture()
const server = await serverFixture({
  mail: mailbox.settings,
  secretScanningKeysUrl: `http://127.0.0.1:${keysPort}/keys`,
})
await seed(server.database, { users: ['ada', 'bob'], households: ['h1'] })
const reporter = adminCaller(server, await newKey(server, ['incidents:write']))
const report = (text: string, source?: string) =>
  reporter('POST', '/leaked-credentials', { text, ...(source && { source }) })

const recorded = (name: string) =>
  query(
    server.database,
    `SELECT actor_kind, client_id, user_id, details->>'source' AS source FROM audit_log
      WHERE event = 'credential.leaked' AND details->>'credential' = '${name}' ORDER BY id DESC LIMIT 1`,
  )

describe('86: a leaked credential is ended at once', () => {
  test('refresh token: the connection ends, the partner learns why, and the user gets a mail', async () => {
    const partner = await server.partner({ name: 'Abacus' })
    const { refreshToken, accessToken } = await tokensFor(server, partner, 'ada')
    mailbox.received.length = 0
    const { status, body } = await report(`line 17: token=${refreshToken}\n`, 'a public log')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: [
          {
            hint: `lk_test_rt_…${refreshToken.slice(-4)}`,
            credential: 'refresh_token',
            state: 'revoked',
            client_id: partner.clientId,
            user_id: 'ada',
          },
        ],
      },
    })
    expect((await api(server, 'households', accessToken)).status).toBe(401)
    const { body: refused } = await refresh(server, partner, refreshToken)
    expect(refused).toMatchObject({ error: 'invalid_grant' })
    expect(String(refused.error_uri)).toContain('ended-by-leak')
    expect(await recorded('refresh_token')).toEqual([
      { actor_kind: 'api_key', client_id: partner.clientId, user_id: 'ada', source: 'a public log' },
    ])
    await server.sendMails()
    const mail = (await takeMail('A key of Abacus')) ?? {}
    expect(mail).toMatchObject({ subject: 'A key of Abacus was found in a public place' })

    expect((await report(refreshToken)).body.data).toMatchObject([{ state: 'not_live' }])
  })

  test('access token: it is refused, and the next refresh gives one that works', async () => {
    const partner = await server.partner()
    const { refreshToken, accessToken } = await tokensFor(server, partner, 'bob')
    expect((await report(accessToken)).body.data).toMatchObject([{ state: 'revoked', user_id: 'bob' }])
    expect((await api(server, 'households', accessToken)).status).toBe(401)
    const { body } = await refresh(server, partner, refreshToken)
    expect((await api(server, 'households', String(body.access_token))).status).toBe(200)
  })

  test('code: it can no longer be redeemed', async () => {
    const partner = await server.partner()
    const code = await codeFor(server, partner, 'ada')
    expect((await report(code)).body.data).toMatchObject([
      { credential: 'authorization_code', state: 'revoked' },
    ])
    const answer = await token(server, partner, { grant_type: 'authorization_code', code })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('client secret: it is withdrawn, and the partner learns why', async () => {
    const partner = await server.partner()
    expect((await report(partner.clientSecret)).body.data).toMatchObject([
      { credential: 'client_secret', state: 'revoked', client_id: partner.clientId, live_secrets: 0 },
    ])
    const answer = await refresh(server, partner, 'anything')
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(answer.body.error_description).toContain('found in a public place')
    // A caller with another wrong secret learns nothing of it.
    const other = await server.partner()
    const wrong = await refresh(server, { ...partner, clientSecret: other.clientSecret }, 'anything')
    expect(wrong.body.error_description).not.toContain('public place')
  })

  test('of a disabled user: it does not work again when the user is enabled', async () => {
    const partner = await server.partner({ name: 'Offside' })
    const { refreshToken, accessToken } = await tokensFor(server, partner, 'bob')
    const other = await tokensFor(server, partner, 'bob')
    const setStatus = (status: string) =>
      query(server.database, `UPDATE users SET status = $1 WHERE id = 'bob'`, [status])
    await setStatus('disabled')
    expect((await report(`${refreshToken} ${other.accessToken}`)).body.data).toMatchObject([
      { credential: 'refresh_token', state: 'revoked' },
      { credential: 'access_token', state: 'revoked' },
    ])
    expect((await report(refreshToken)).body.data).toMatchObject([{ state: 'not_live' }])
    await setStatus('active')
    expect((await refresh(server, partner, refreshToken)).status).toBe(400)
    for (const token of [accessToken, other.accessToken])
      expect((await api(server, 'households', token)).status).toBe(401)
    await server.sendMails()
    expect(mailbox.received.map(({ subject }) => subject)).not.toContainEqual(
      expect.stringContaining('A key of Offside'),
    )
  })

  test('API key: it is revoked', async () => {
    const key = await newKey(server, ['operators:read'])
    expect((await report(key)).body.data).toMatchObject([{ credential: 'api_key', state: 'revoked' }])
    expect((await adminCaller(server, key)('GET', '/api-keys')).status).toBe(401)
  })

  test('several in one text, each once; what is no credential of this service is left alone', async () => {
    const partner = await server.partner()
    const { accessToken } = await tokensFor(server, partner, 'ada')
    const forged = `${accessToken.slice(0, -1)}${accessToken.endsWith('0') ? '1' : '0'}`
    const foreign = 'lk_live_cs_' // too short: no credential
    const text = [accessToken, accessToken, forged, foreign, partner.clientSecret, 'ghp_0123456789'].join(' ')
    const { body } = await report(text)
    const found: { credential: string }[] = body.data
    expect(found.map(({ credential }) => credential)).toEqual(['access_token', 'client_secret'])
  })

  test('neither the answer nor the log nor the audit log has the credential', async () => {
    const partner = await server.partner()
    const { refreshToken } = await tokensFor(server, partner, 'ada')
    const { body } = await report(refreshToken)
    const rows = await query(server.database, 'SELECT to_jsonb(a) AS row FROM audit_log a')
    for (const place of [JSON.stringify(body), server.logs(), JSON.stringify(rows)])
      expect(place).not.toContain(refreshToken)
  })
})

describe('86: reports of a secret scanner', () => {
  const send = (body: string, headers: Record<string, string>) =>
    fetch(`${server.authUrl}/leaked-credentials/github`, { method: 'POST', body, headers })
  const signed = (body: string) => ({
    'github-public-key-identifier': 'key-1',
    'github-public-key-signature': sign('sha256', Buffer.from(body), scanner.privateKey).toString('base64'),
  })

  test('while the keys of the scanner cannot be read, the report is to be sent again, and then counts', async () => {
    expect((await send('[]', signed('[]'))).status).toBe(503)
    isScannerAway = false
    expect((await send('[]', signed('[]'))).status).toBe(200)
  })

  test('a signed report ends the credential', async () => {
    const partner = await server.partner()
    const { accessToken, refreshToken } = await tokensFor(server, partner, 'ada')
    const url = 'https://code.example/repository/commit'
    const body = JSON.stringify([{ token: refreshToken, type: 'latchkey_token', url, source: 'content' }])
    expect((await send(body, signed(body))).status).toBe(200)
    expect((await api(server, 'households', accessToken)).status).toBe(401)
    expect(await recorded('refresh_token')).toMatchObject([{ actor_kind: 'secret_scanner', source: url }])
  })

  test('an unsigned, altered or foreign report ends nothing', async () => {
    const partner = await server.partner()
    const { accessToken } = await tokensFor(server, partner, 'ada')
    const body = JSON.stringify([{ token: accessToken }])
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const foreign = sign('sha256', Buffer.from(body), stranger.privateKey).toString('base64')
    const attempts = [
      {},
      signed('[]'),
      { ...signed(body), 'github-public-key-signature': foreign },
      { ...signed(body), 'github-public-key-identifier': 'key-2' },
      { ...signed(body), 'github-public-key-signature': '%%%' },
    ]
    for (const headers of attempts) expect((await send(body, headers)).status).toBe(400)
    expect((await api(server, 'households', accessToken)).status).toBe(200)
  })

  test('a signed report that is no list of secrets is refused', async () => {
    for (const body of ['{}', '[{"url":"x"}]', 'not JSON']) {
      expect((await send(body, signed(body))).status).toBe(400)
    }
  })
})

async function takeMail(subject: string) {
  for (;;) {
    const mail = await mailbox.next()
    if (mail.subject?.startsWith(subject)) return mail
  }
}
