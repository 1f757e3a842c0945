import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { verifyWebhook } from '../../sdk/src/index.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const body = JSON.stringify({
  type: 'grant.revoked',
  timestamp: '2026-11-22T09:30:00.000Z',
  data: { grant_id: '1' },
})

/** A key pair, its public half as the developer pages show it, and a delivery that it signed. */
function signedByPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const headers = delivery()
  const content = Buffer.from(`msg_1.${headers['webhook-timestamp']}.${body}`)
  const mark = `v1a,${sign(null, content, privateKey).toString('base64')}`
  return {
    key: `whpk_${raw.toString('base64')}`,
    headers: { ...headers, 'webhook-signature': mark },
  }
}

/** Signs as the specification says, with the library of its authors. */
function delivery(text = body, at = new Date(), key = secret) {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(key).sign('msg_1', at, text),
  }
}

describe('verifyWebhook', () => {
  test('returns the event of a signed delivery, from text or bytes', () => {
    const event = { id: 'msg_1', ...JSON.parse(body) }
    expect(verifyWebhook(secret, delivery(), body)).toEqual(event)
    expect(verifyWebhook(secret, delivery(), new TextEncoder().encode(body))).toEqual(event)
  })

  test('accepts one of several signatures: the secret is being replaced', () => {
    const other = delivery(body, new Date(), `whsec_${randomBytes(32).toString('base64')}`)
    const both = `${other['webhook-signature']} ${delivery()['webhook-signature']}`
    expect(verifyWebhook(secret, { ...delivery(), 'webhook-signature': both }, body).type).toBe(
      'grant.revoked',
    )
  })

  test('accepts the signature of a key pair, by its public key', () => {
    const { key, headers } = signedByPair()
    expect(verifyWebhook(key, headers, body).type).toBe('grant.revoked')
    for (const [other, text] of [
      [key, body.replace('revoked', 'created')],
      [signedByPair().key, body],
      [secret, body],
    ] as const)
      expect(() => verifyWebhook(other, headers, text)).toThrow('signature')
    expect(() => verifyWebhook(key, delivery(), body)).toThrow('signature')
    expect(() => verifyWebhook(key.slice(0, -9), headers, body)).toThrow('incomplete')
  })

  test.each([
    ['a changed body', secret, delivery(), body.replace('revoked', 'created'), 'signature'],
    ['another id', secret, { ...delivery(), 'webhook-id': 'msg_2' }, body, 'signature'],
    ['no signature', secret, {}, body, 'signature'],
    ['another secret', `whsec_${randomBytes(32).toString('base64')}`, delivery(), body, 'signature'],
    ['an empty secret', 'whsec_', delivery(), body, 'empty'],
    ['an old delivery', secret, delivery(body, new Date(Date.now() - 301_000)), body, 'five minutes'],
    ['a body that is not an event', secret, delivery('{}'), '{}', 'not an event'],
  ])('refuses %s', (_case, key, headers, text, reason) => {
    expect(() => verifyWebhook(key, headers, text)).toThrow(
      expect.objectContaining({ code: 'invalid_webhook', message: expect.stringContaining(reason) }),
    )
  })
})
