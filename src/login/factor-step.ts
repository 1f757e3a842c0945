import {
  type Authentication,
  passwordAcr,
  phishingResistantAcr,
  recoveryCodeAmr,
  satisfies,
  strongest,
  twoFactorAcr,
} from '../acr.ts'
import type { FactorFacts } from './factor-facts.sql.ts'

/** What a login still has to do before it counts. */
export type FactorStep =
  | { kind: 'none' }
  /** The user proves a factor that they have. `optional`: the partner only prefers it (`acr_values`). */
  | { kind: 'prove'; optional: boolean }
  /** The user has no factor that reaches `required`, and sets one up. */
  | { kind: 'enrol'; required: string }

/** What a partner wants of a login. */
export type AcrRequest = {
  /** What the partner requires (`partner update --require-acr`). */
  partnerRequires?: string | null | undefined
  /** `acr_values` of the request. They are voluntary (OpenID Connect Core section 3.1.2.1). */
  acrValues?: readonly string[] | undefined
}

/**
 * Decides what this login, or the login of this session, lacks. A user who has a second factor and has not proved it never
 * sets up another: the password alone must not be enough for that.
 */
export function factorStep(login: Authentication, facts: FactorFacts, acrRequest: AcrRequest): FactorStep {
  const required = requiredAcr(facts, acrRequest)
  if (required !== undefined && !satisfies(login, required)) {
    return canReach(facts, required) || hasUnprovedFactor(login, facts)
      ? { kind: 'prove', optional: false }
      : { kind: 'enrol', required }
  }
  if (login.acr === passwordAcr && hasUnprovedFactor(login, facts)) return { kind: 'prove', optional: false }
  const { acrValues = [] } = acrRequest
  const canHelp =
    !acrValues.some((acr) => satisfies(login, acr)) && acrValues.some((acr) => canReach(facts, acr))
  return canHelp ? { kind: 'prove', optional: true } : { kind: 'none' }
}

/** The strongest requirement of the user's firm, the user's role and the partner. Undefined: none. */
export function requiredAcr(facts: FactorFacts, { partnerRequires }: AcrRequest): string | undefined {
  return strongest([facts.firm_require_acr, facts.role_require_acr, partnerRequires])
}

/**
 * What the page Security says about the factor that the user's firm or role requires. Undefined: nothing is required, or this
 * login reached it at an identity provider, without a factor of the user here.
 */
export function ownRequirement(
  login: Authentication,
  facts: FactorFacts,
): { acr: string; isMissing: boolean } | undefined {
  const acr = requiredAcr(facts, {})
  if (acr === undefined) return undefined
  const isMissing = !canReach(facts, acr)
  return isMissing && satisfies(login, acr) ? undefined : { acr, isMissing }
}

/** Whether the user has a second factor, and this login has not proved one. */
export function hasUnprovedFactor(login: Authentication, facts: FactorFacts): boolean {
  return (facts.has_passkey || facts.has_totp) && !satisfies(login, twoFactorAcr)
}

/**
 * Whether this login is strong enough to add and remove factors. A user who has a passkey must use it: otherwise an attacker
 * with a phished password and a phished code could add another passkey, and the attacker's logins would count as resistant to
 * phishing. A recovery code replaces a lost passkey.
 */
export function mayChangeFactors(login: Authentication, facts: FactorFacts): boolean {
  if (!facts.has_passkey) return !hasUnprovedFactor(login, facts)
  return satisfies(login, phishingResistantAcr) || login.amr.includes(recoveryCodeAmr)
}

function canReach(facts: FactorFacts, acr: string): boolean {
  if (acr === phishingResistantAcr) return facts.has_passkey
  return acr === twoFactorAcr && (facts.has_passkey || facts.has_totp)
}
