import { Option } from 'commander'
import { requirableAcrs } from '../acr.ts'

/** The option `--require-acr`. @param who whose login it is about, and what they do with it */
export function requireAcrOption(who: string): Option {
  return new Option('--require-acr <acr>', `how strong a login must be with which ${who}`).choices(
    requirableAcrs,
  )
}
