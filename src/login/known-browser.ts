import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { foldCase } from '../directory/case-folding.ts'
import { type DerivedKeys, hmac, isMacOf, macOf } from '../secrets/derived-keys.ts'
import { randomId } from '../secrets/token-format.ts'
import { cookieName, cookieOptions } from '../web/cookies.ts'

/** Accounts that a browser is known to: the latest ones. */
const mostAccounts = 8
const lifetimeSeconds = 180 * 24 * 3600
const name = 'latchkey-browser'

/**
 * A browser that has logged in before, or may do so now. Each proof was made by `begin_login` for this id, one account
 * and its password; nothing is stored, and a changed password makes the proof worthless. In the cookie each proof has a
 * tag behind it, by which `isKnownTo` tells without a query, before any work is done.
 */
export type Browser = { id: string; proofs: string[]; taggedProofs: string[] }

const taggedProof = /^([0-9a-f]{64})([\w-]{22})$/

/** The key of a browser's proof for one account, from which only the database makes the proof (`browserProof`). */
export function proofKey(keys: DerivedKeys, browser: Browser, email: string): Buffer {
  return hmac(keys.browser, browser.id, foldCase(email.trim()))
}

/** Whether this service made the cookie of the browser after a login to this account; the password may have changed since. */
export function isKnownTo(keys: DerivedKeys, browser: Browser, email: string): boolean {
  return browser.taggedProofs.some((text) =>
    isMacOf(text.slice(64), keys.browser, ...tagParts(browser, email)),
  )
}

/** A new proof of `begin_login` for `rememberBrowser`. */
export function tagged(keys: DerivedKeys, browser: Browser, email: string, proof: string): string {
  return proof + macOf(keys.browser, ...tagParts(browser, email))
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
    proofs: matches.flatMap((match) => match?.[1] ?? []).slice(0, mostAccounts),
    taggedProofs: proofs.slice(0, mostAccounts),
  }
}

/** `proof` has its tag (`tagged`). */
export function rememberBrowser(reply: FastifyReply, config: Config, browser: Browser, proof: string): void {
  const proofs = [proof, ...browser.taggedProofs.filter((other) => other !== proof)].slice(0, mostAccounts)
  const options = { ...cookieOptions(config), maxAge: lifetimeSeconds }
  reply.setCookie(cookieName(config, name), [browser.id, ...proofs].join('.'), options)
}
