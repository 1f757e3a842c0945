import { daysOfCalls, type Facts } from './facts.sql.ts'
import type { RequestedCheck, RequestedDeveloper } from './request.ts'

/** One thing to do before an application goes live, answered from what the sandbox has seen. */
export type Check = RequestedCheck & {
  /** What the partner's developers do about it. */
  how: string
  /** The guide of the docs that explains it. */
  guide?: string
  /** The developer page of the application where it is done, below its first page. */
  page?: string
}

/** A developer of the application, and whether a second factor or an identity provider protects the account. */
export type Developer = RequestedDeveloper & { is_protected: boolean }

/** All checks of an application, done and open, in the order of the page. */
export function checklistOf(facts: Facts, developers: Developer[]): Check[] {
  return [...connecting(facts), ...profile(facts), ...people(developers), ...calls(facts), webhooks(facts)]
}

/** The checks that must be done before the sandbox signs a request. */
export function openChecks(checks: Check[]): Check[] {
  return checks.filter(({ required, done }) => required && !done)
}

function connecting(facts: Facts): Check[] {
  const { connected_users: users, used_pkce: pkce, live_secrets: secrets, key_thumbprints: keys } = facts
  return [
    {
      id: 'connected',
      title: 'A test user has connected the application',
      required: true,
      done: users > 0,
      found: users === 0 ? 'No user has connected it.' : `${counted(users, 'user')} connected it.`,
      how: 'Send a test user through your Connect button, and redeem the code.',
      guide: 'connect-button',
    },
    {
      id: 'refreshed',
      title: 'It has refreshed a token',
      required: true,
      done: facts.has_refreshed,
      found: facts.has_refreshed ? 'A connection was refreshed.' : 'No connection was refreshed.',
      how: 'Access tokens end after an hour. Exchange the refresh token for the next ones.',
      guide: 'refreshing',
    },
    {
      id: 'credentials',
      title: 'It has credentials that did not leak',
      required: true,
      done: secrets + keys.length > 0,
      found:
        secrets + keys.length > 0
          ? `${counted(secrets, 'secret')}, ${counted(keys.length, 'key')}; none was withdrawn after a leak.`
          : 'Its secret leaked and was withdrawn.',
      how: 'Make a new secret, and keep it where only your server reads it.',
      guide: 'security',
      page: 'credentials',
    },
    {
      id: 'pkce',
      title: 'It uses PKCE',
      required: false,
      done: facts.require_pkce || pkce === true,
      found: pkce === true ? 'The latest authorization used it.' : 'The latest authorization did not use it.',
      how: 'Send code_challenge and code_verifier. Most libraries do so with one option.',
      guide: 'connect-button',
    },
  ]
}

function profile({ name, site, logo, privacy_url: privacy, description }: Facts): Check[] {
  const missing = [
    ...(logo === null ? ['logo'] : []),
    ...(site === null ? ['web site'] : []),
    ...(description === null ? ['description'] : []),
  ]
  return [
    {
      id: 'privacy',
      title: 'Users find its privacy policy',
      required: true,
      done: privacy !== null,
      found: privacy ?? 'There is no link to a privacy policy.',
      how: 'Add the address of your privacy policy to the profile. The Connect page shows it.',
      page: 'application',
    },
    {
      id: 'profile',
      title: 'Its profile has a logo, a web site and a description',
      required: false,
      done: missing.length === 0,
      found: missing.length === 0 ? name : `Missing: ${missing.join(', ')}.`,
      how: 'Complete the profile. Users connect an application that they recognise.',
      page: 'application',
    },
  ]
}

function people(developers: Developer[]): Check[] {
  const admins = developers.filter(({ role }) => role === 'admin')
  const open = developers.filter(({ is_protected: isProtected }) => !isProtected)
  return [
    {
      id: 'admin',
      title: 'It has an administrator, who can make the secret of production',
      required: true,
      done: admins.length > 0,
      found:
        admins.length > 0
          ? admins
              .map(({ email }) => email)
              .join(', ')
              .slice(0, 400)
          : 'There is none.',
      how: 'Invite an administrator on the page People. Production invites the same people.',
      page: 'people',
    },
    {
      id: 'second_factor',
      title: 'All developers have a second factor',
      required: false,
      done: developers.length > 0 && open.length === 0,
      found:
        open.length === 0
          ? `${counted(developers.length, 'developer')}.`
          : `Without one: ${open
              .map(({ email }) => email)
              .join(', ')
              .slice(0, 400)}.`,
      how: 'Ask them to sign in and to set up an authenticator app.',
      page: 'people',
    },
  ]
}

function calls({
  calls,
  refused_calls: refused,
  has_recovered: recovered,
  deprecated_calls: old,
}: Facts): Check[] {
  const since = `in the last ${daysOfCalls} days`
  return [
    {
      id: 'recovered',
      title: 'It has met an error and carried on',
      required: false,
      done: recovered,
      found:
        refused === 0
          ? `No call was refused ${since}.`
          : `${counted(refused, 'call')} refused ${since}; ${recovered ? 'others succeeded afterwards' : 'none succeeded afterwards'}.`,
      how: 'Cause a failure with the header Latchkey-Sandbox, and see that your program repeats the call.',
      guide: 'testing',
    },
    {
      id: 'deprecated',
      title: 'It makes no deprecated calls',
      required: false,
      done: calls > 0 && old === 0,
      found:
        old > 0
          ? `${counted(old, 'call')} of deprecated operations ${since}.`
          : calls === 0
            ? `No call ${since}.`
            : `None of ${counted(calls, 'call')} ${since}.`,
      how: 'Read /api/v2/households instead of /api/v1/households.',
      guide: 'paging-and-sync',
      page: 'deprecated',
    },
  ]
}

/** Endpoints are optional, but one that never took a delivery would lose the first events in production. */
function webhooks({ endpoints, verified_endpoints: verified }: Facts): Check {
  return {
    id: 'webhooks',
    title: 'Its webhook endpoints have taken an event',
    required: endpoints > 0,
    done: endpoints > 0 && verified === endpoints,
    found: endpoints === 0 ? 'It has no endpoints.' : `${verified} of ${counted(endpoints, 'endpoint')}.`,
    how:
      endpoints === 0
        ? 'Add an endpoint to hear at once when a user disconnects. Without one, your next call finds out.'
        : 'Send a test event, and verify its signature before you answer 204.',
    page: 'webhooks',
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
