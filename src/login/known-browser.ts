import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { foldCase } from '../directory/case-folding.ts'
import { type DerivedKeys, hmac } from '../secrets/derived-keys.ts'
import { randomId } from '../secrets/token-format.ts'
import { cookieName, cookieOptions } from '../web/cookies.ts'

/** Accounts that a browser is known to: the latest ones. */
const mostAccounts = 8
const lifetimeSeconds = 180 * 24 * 3600
const name = 'latchkey-browser'

/**
 * A browser that has logged in before, or may do so now. Each proof was made by `begin_login` for this id, one account
 * and its password; nothing is stored, and a changed password makes the proof worthless.
 */
export type Browser = { id: string; proofs: string[] }

/** The key of a browser's proof for one account, from which only the database makes the proof (`browserProof`). */
export function proofKey(keys: DerivedKeys, browser: Browser, email: string): Buffer {
  return hmac(keys.browser, browser.id, foldCase(email.trim()))
}

export function browserOf(request: FastifyRequest, config: Config): Browser {
  const cookie = request.cookies[cookieName(config, name)] ?? ''
  const [id, ...proofs] = /^\w{22}(\.[0-9a-f]{64})+$/.test(cookie) ? cookie.split('.') : []
  return { id: id ?? randomId(), proofs: proofs.slice(0, mostAccounts) }
}

export function rememberBrowser(reply: FastifyReply, config: Config, browser: Browser, proof: string): void {
  const proofs = [proof, ...browser.proofs.filter((other) => other !== proof)].slice(0, mostAccounts)
  const options = { ...cookieOptions(config), maxAge: lifetimeSeconds }
  reply.setCookie(cookieName(config, name), [browser.id, ...proofs].join('.'), options)
}
