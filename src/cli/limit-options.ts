import { type Command, InvalidArgumentError, Option } from 'commander'
import { type LimitChanges, type LimitName, type LimitSettings, parseLimit } from '../limit-settings.ts'

type Limit = number | 'none'

export type LimitOptions = {
  requestsPerMinute?: Limit
  requestsPerUserPerMinute?: Limit
  tokenRequestsPerMinute?: Limit
  refreshesPerConnectionPerMinute?: Limit
  expensiveReads?: Limit
}

const limits: { name: LimitName; option: keyof LimitOptions; what: string }[] = [
  { name: 'requests_per_minute', option: 'requestsPerMinute', what: 'requests to the API' },
  {
    name: 'requests_per_user_per_minute',
    option: 'requestsPerUserPerMinute',
    what: 'requests to the API for one user',
  },
  {
    name: 'token_requests_per_minute',
    option: 'tokenRequestsPerMinute',
    what: 'token requests and introspections',
  },
  {
    name: 'refreshes_per_connection_per_minute',
    option: 'refreshesPerConnectionPerMinute',
    what: 'refreshes of one connection',
  },
  { name: 'expensive_reads', option: 'expensiveReads', what: 'searches and long syncs at the same time' },
]

/** Adds an option for each limit: `--requests-per-minute` and so on. */
export function addLimitOptions(command: Command): Command {
  for (const { name, what } of limits) {
    const flag = `--${name.replaceAll('_', '-')} <n>`
    const description = `limit of ${what}; none: the default of the deployment`
    command.addOption(new Option(flag, description).argParser(parse))
  }
  return command
}

function parse(text: string): Limit {
  try {
    return text === 'none' ? text : parseLimit(text)
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? `It ${error.message}, or none.` : '')
  }
}

/** The limits of a new partner. */
export function newLimits(options: LimitOptions): LimitSettings {
  const given = limits.map(({ name, option }) => [name, options[option]] as const)
  return Object.fromEntries(given.filter(([, limit]) => typeof limit === 'number'))
}

/** The limits that were given. Undefined: none. */
export function changedLimits(options: LimitOptions): LimitChanges | undefined {
  const given = limits.filter(({ option }) => options[option] !== undefined)
  if (given.length === 0) return undefined
  return Object.fromEntries(
    given.map(({ name, option }) => [name, options[option] === 'none' ? null : options[option]]),
  )
}

/** One line for each limit of a partner. */
export function limitLines(settings: LimitSettings): string[] {
  return limits.flatMap(({ name, what }) => {
    const limit = settings[name]
    return limit === undefined
      ? []
      : [`limit          ${limit} ${what}${name.endsWith('_per_minute') ? ' per minute' : ''}`]
  })
}
