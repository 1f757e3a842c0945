import { redirectUriFault } from './redirect-uri.ts'

/**
 * Why production does not accept an address that a partner chooses, or undefined. The operator can register http on this
 * machine, for partners who develop. An application in production has users, whose browsers would send the code to their own
 * machines.
 */
function productionUriFault(uri: string): string | undefined {
  if (URL.canParse(uri) && new URL(uri).protocol !== 'https:') return 'must be https in production'
  const fault = redirectUriFault(uri)
  if (fault !== undefined) return fault
  const { hostname } = new URL(uri)
  return /^(.+\.)?localhost$|^127\.|^\[::1\]$|^0\.0\.0\.0$/.test(hostname)
    ? 'is an address of the machine itself, which production does not accept'
    : undefined
}

/** Sentences for the partner and the operator. */
export function productionUriFaults(what: string, uris: string[]): string[] {
  return uris.flatMap((uri) => {
    const fault = productionUriFault(uri)
    return fault === undefined ? [] : `${what} ${JSON.stringify(uri)} ${fault}.`
  })
}
