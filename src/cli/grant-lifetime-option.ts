import { InvalidArgumentError, Option } from 'commander'
import { parseLifetimeDays } from '../grants/lifetime-days.ts'

/** `--grant-lifetime-days` of `partner create` and `partner update`. */
export function grantLifetimeOption(): Option {
  const description =
    "days after which a user's consent ends, unless the user renews it; from the next consent on"
  return new Option('--grant-lifetime-days <days>', description).argParser((text) => {
    try {
      return parseLifetimeDays(text)
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? `It ${error.message}.` : '')
    }
  })
}
