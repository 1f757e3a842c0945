import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { foldCase } from '../directory/case-folding.ts'
import {
  acceptedKeys,
  type DerivedKeys,
  hmac,
  isMacOfAny,
  macOf,
  type SecretKeys,
} from '../secrets/derived-keys.ts'
import { randomId, sha256 } from '../secrets/token-format.ts'
import { cookieName, cookieOptions } from '../web/cookies.ts'
import type { Login } from './login.ts'

/** How many accounts know one browser. The most recent logins count. */
const maxAccounts = 8
const lifetimeSeconds = 180 * 24 * 3600
const name = 'latchkey-browser'

/**
 * The content of the known-browser cookie, or a new id for a browser without one. Each proof is made from this id, one
 * account and its `login_version`. The server stores nothing, and a changed password makes the proof invalid. In
 * the cookie a tag follows each proof. With the tag, `isKnownTo` recognizes the browser without a query.
 */
export type Browser = { id: string; proofs: string[]; taggedProofs: string[] }

const taggedProof = /^([0-9a-f]{64})([\w-]{22})$/

/** The key of a browser's proof for one account. */
export function proofKey(keys: DerivedKeys, browser: Browser, email: string): Buffer {
  return hmac(keys.browser, browser.id, foldCase(email.trim()))
}

/** Whether the server set this cookie after a login to this account. The password may have changed since then. */
export function isKnownTo(keys: SecretKeys, browser: Browser, email: string): boolean {
  return browser.taggedProofs.some((text) =>
    isMacOfAny(text.slice(64), acceptedKeys(keys, 'browser'), ...tagParts(browser, email)),
  )
}

/** Whether the browser has logged in to this account since the user's credentials last changed. */
export function isKnownSince(
  keys: SecretKeys,
  browser: Browser,
  { email, loginVersion }: Pick<Login, 'email' | 'loginVersion'>,
): boolean {
  return keys.accepted.some((accepted) =>
    browser.proofs.includes(proofOf(proofKey(accepted, browser, email), loginVersion)),
  )
}

/** A proof for `rememberBrowser`, with its tag. */
export function newProof(
  keys: SecretKeys,
  browser: Browser,
  { email, loginVersion }: Pick<Login, 'email' | 'loginVersion'>,
): string {
  return tagged(keys, browser, email, proofOf(proofKey(keys.current, browser, email), loginVersion))
}

/** The same as `browserProof` in SQL. */
function proofOf(key: Buffer, loginVersion: string): string {
  return sha256(Buffer.concat([key, Buffer.from(loginVersion)])).toString('hex')
}

/** A proof from the database, with its tag, for `rememberBrowser`. */
export function tagged(keys: SecretKeys, browser: Browser, email: string, proof: string): string {
  return proof + macOf(keys.current.browser, ...tagParts(browser, email))
}

function tagParts(browser: Browser, email: string): string[] {
  return ['known', browser.id, foldCase(email.trim())]
}

export function browserOf(request: FastifyRequest, config: Config): Browser {
  const [id = '', ...proofs] = (request.cookies[cookieName(config, name)] ?? '').split('.')
  const matches = proofs.map((text) => taggedProof.exec(text))
  if (!/^\w{22}$/.test(id) || matches.includes(null)) return { id: randomId(), proofs: [], taggedProofs: [] }
  return {
    id,
    proofs: matches.flatMap((match) => match?.[1] ?? []).slice(0, maxAccounts),
    taggedProofs: proofs.slice(0, maxAccounts),
  }
}

/** @param proof with its tag, from `tagged` */
export function rememberBrowser(reply: FastifyReply, config: Config, browser: Browser, proof: string): void {
  const proofs = [proof, ...browser.taggedProofs.filter((other) => other !== proof)].slice(0, maxAccounts)
  const options = { ...cookieOptions(config), maxAge: lifetimeSeconds }
  reply.setCookie(cookieName(config, name), [browser.id, ...proofs].join('.'), options)
}
