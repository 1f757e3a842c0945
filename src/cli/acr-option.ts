import { Option } from 'commander'
import { requirableAcrs } from '../acr.ts'

/** The option `--require-acr`. @param who whose login must have it, and for what: `its users connect` */
export function requireAcrOption(who: string): Option {
  return new Option('--require-acr <acr>', `the acr that a login must have when ${who}`).choices(
    requirableAcrs,
  )
}
