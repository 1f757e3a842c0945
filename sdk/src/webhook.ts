import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import { LatchkeyError } from './errors.ts'
import { isObject } from './http.ts'

/** An event as the server delivers it. The documentation lists the types and what `data` says. */
export type WebhookEvent = {
  /** The same in every attempt: ignore an event whose id you know. */
  id: string
  type: string
  /** RFC 3339. */
  timestamp: string
  data: Record<string, unknown>
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Seconds by which the clocks may differ. An older delivery may have been recorded and sent again by an attacker. */
const tolerance = 300

/**
 * Checks the signature of a delivery (Standard Webhooks), and returns its event.
 * @param secret of the endpoint: `whsec_…` of a shared secret, `whpk_…` of a key pair
 * @param body exactly as it was received, before it is parsed
 * @throws {LatchkeyError} `invalid_webhook`: do not trust the request, and answer it with 400
 */
export function verifyWebhook(secret: string, headers: Headers, body: string | Uint8Array): WebhookEvent {
  const text = Buffer.from(body).toString()
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  )
  const key = Buffer.from(secret.replace(/^wh(sec|pk)_/, ''), 'base64')
  // Anyone can sign with an empty key.
  if (key.length === 0)
    throw invalid('The secret is empty. Configure the `whsec_…` or `whpk_…` of the endpoint.')
  const isValid = secret.startsWith('whpk_') ? keyPairCheck(key) : sharedSecretCheck(key)
  const signed = `${id}.${timestamp}.${text}`
  if (!signature?.split(' ').some((one) => isValid(signed, one)))
    throw invalid('The signature is wrong. Compare the secret with the newest of the endpoint.')
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= tolerance))
    throw invalid('The delivery is older than five minutes, or your clock is wrong.')
  const event: unknown = JSON.parse(text)
  if (isEvent(event)) return { id: id ?? '', type: event.type, timestamp: event.timestamp, data: event.data }
  throw invalid('The body is not an event.')
}

/** Whether the text has this signature. */
type Verify = (signed: string, signature: string) => boolean

function sharedSecretCheck(key: Buffer): Verify {
  return (signed, signature) =>
    isEqual(signature, `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
}

/** @param bytes of the public key */
function keyPairCheck(bytes: Buffer): Verify {
  if (bytes.length !== 32)
    throw invalid('The public key is incomplete. Configure the `whpk_…` of the endpoint.')
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  return (signed, signature) =>
    signature.startsWith('v1a,') &&
    verify(null, Buffer.from(signed), key, Buffer.from(signature.slice(4), 'base64'))
}

function invalid(detail: string): LatchkeyError {
  return new LatchkeyError('invalid_webhook', detail)
}

/** In constant time: the time must not tell an attacker how much of a guess is right. */
function isEqual(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function isEvent(value: unknown): value is Omit<WebhookEvent, 'id'> {
  return (
    isObject(value) &&
    typeof value.type === 'string' &&
    typeof value.timestamp === 'string' &&
    isObject(value.data)
  )
}
