import { foldCase } from '../directory/case-folding.ts'
import { quoted } from '../visible-text.ts'
import type { Namesake } from './open.sql.ts'
import type { GoingLiveRequest, RequestedCheck } from './request.ts'

/** What the operator should look at before opening a request. None of it is a reason to refuse. */
export function warningsOf(request: GoingLiveRequest, others: Namesake[]): string[] {
  const { partner, checks } = request
  const name = lettersOf(partner.name)
  return [
    ...others.flatMap((other) => [
      ...(other.is_same_application
        ? [`The same application of the sandbox has gone live before, as ${described(other)}.`]
        : []),
      ...(isSimilar(name, lettersOf(other.name))
        ? [`There is a partner with a similar name: ${described(other)}. Users may take one for the other.`]
        : []),
      ...other.shared_uris.map((uri) => `${described(other)} has the same redirect URI ${quoted(uri)}.`),
    ]),
    ...foreignHosts(partner).map(
      (host) =>
        `The redirect URIs lead to ${host}, which is not the host of its web site ${quoted(partner.site ?? '')}.`,
    ),
    ...openWarning(checks),
  ]
}

function openWarning(checks: RequestedCheck[]): string[] {
  const open = checks.filter(({ done }) => !done).map(({ title }) => title)
  return open.length === 0 ? [] : [`Not done in the sandbox: ${open.join('; ')}.`]
}

function described({ name, client_id: clientId }: Namesake): string {
  return `${quoted(name)} (${clientId})`
}

/** The letters and digits, without differences of case and form: `Ledger-Line™` and `ledgerline` have the same. */
function lettersOf(name: string): string {
  return foldCase(name.normalize('NFKC')).replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Whether two names are equal, or one begins with the other: Acme and Acme Reports. */
function isSimilar(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length)
  return shorter >= 3 && one.slice(0, shorter) === other.slice(0, shorter)
}

function foreignHosts({ site, redirect_uris: uris }: GoingLiveRequest['partner']): string[] {
  if (site === null || !URL.canParse(site)) return []
  const own = new URL(site).hostname.replace(/^www\./, '')
  const hosts = uris.flatMap((uri) => (URL.canParse(uri) ? new URL(uri).hostname : []))
  return [...new Set(hosts)].filter((host) => host !== own && !host.endsWith(`.${own}`))
}
