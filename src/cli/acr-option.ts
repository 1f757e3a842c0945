import { Option } from 'commander'
import { requirableAcrs } from '../acr.ts'

/** The option `--require-acr`. @param who whose login it is about, and what they do with it */
export function requireAcrOption(who: string): Option {
  return new Option('--require-acr <acr>', `the acr that a login must have when ${who}`).choices(
    requirableAcrs,
  )
}
