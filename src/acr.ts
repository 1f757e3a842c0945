/** The `acr` value for a login with only a password. Latchkey defines these values, because no standard does. */
export const passwordAcr = 'urn:latchkey:acr:password'

/** The `acr` value for a login through an identity provider that names none. */
export const federatedAcr = 'urn:latchkey:acr:federated'

/** A password or the login at a provider, and in addition a one-time password or a recovery code. */
export const twoFactorAcr = 'urn:latchkey:acr:two-factor'

/** A passkey that verified the user (PIN, fingerprint, face), alone or as a second factor. */
export const phishingResistantAcr = 'urn:latchkey:acr:phishing-resistant'

/** The values of `acr` that this server gives itself, the weakest first. A foreign identity provider may give others. */
export const acrValues = [passwordAcr, twoFactorAcr, phishingResistantAcr]

/** What a role, a firm or a partner can require. */
export const requirableAcrs = [twoFactorAcr, phishingResistantAcr]

/** The reasons why this cannot be required: messages for the operator. */
export function acrFaults(acr: string | null | undefined): string[] {
  if (typeof acr !== 'string' || requirableAcrs.includes(acr)) return []
  return [`The required acr must be ${requirableAcrs.join(' or ')}, not ${JSON.stringify(acr)}.`]
}

/** How a user logged in. */
export type Authentication = { acr: string; amr: string[] }

/**
 * 1 password, 2 two factors, 3 resistant to phishing. A login at a foreign provider counts as two factors if its `amr` says
 * so (`mfa` of RFC 8176). The function `acr_level` of the database gives the same numbers to requirements.
 */
export function acrLevel({ acr, amr }: Authentication): number {
  if (acrValues.includes(acr)) return levelOf(acr)
  return amr.includes('mfa') ? levelOf(twoFactorAcr) : levelOf(passwordAcr)
}

/** Whether this login is at least as strong as the required `acr` value. A value of a foreign provider must be equal. */
export function satisfies(authentication: Authentication, required: string): boolean {
  if (authentication.acr === required) return true
  return acrValues.includes(required) && acrLevel(authentication) >= levelOf(required)
}

/** The strongest of these requirements. Undefined: nothing is required. */
export function strongest(requirements: (string | null | undefined)[]): string | undefined {
  return acrValues.findLast((acr) => requirements.includes(acr))
}

function levelOf(acr: string): number {
  return acrValues.indexOf(acr) + 1
}
