// A separate thread (guess-estimate.ts): loading the dictionaries takes 0.3 s of a processor, and one estimate up to 0.1 s.
// It is JavaScript, because Node 20 cannot start a thread from TypeScript, and tests run from source.
import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import * as common from '@zxcvbn-ts/language-common'
import * as english from '@zxcvbn-ts/language-en'

/** @import { StrengthEstimate, StrengthRequest, WeakPart } from './guess-estimate.ts' */
/** @import { MatchExtended } from '@zxcvbn-ts/core' */

const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  maxLength: 64, // characters. The time grows with the square of the length. The rest of the password does not count
  l33tMaxSubstitutions: 10,
})

/** @param {StrengthRequest} request */
function answer({ password, personal }) {
  const { guessesLog10, sequence } = zxcvbn.check(password, personal)
  /** @type {StrengthEstimate} */
  const estimate = { log10: guessesLog10, weakest: weakestPart(sequence) }
  parentPort?.postMessage(estimate)
}

/**
 * The kind of parts that cover most of the password. Parts that an attacker must guess one by one do not count.
 * @param {MatchExtended[]} sequence
 * @returns {WeakPart}
 */
function weakestPart(sequence) {
  const [first, ...others] = sequence
  if (others.length === 0 && first?.dictionaryName === 'passwords-common') return 'common'
  const covered = { personal: 0, pattern: 0, word: 0 }
  for (const match of sequence) {
    const kind = kindOf(match)
    if (kind) covered[kind] += match.token.length
  }
  if (covered.personal > 0) return 'personal'
  return covered.pattern >= covered.word ? 'pattern' : 'word'
}

/** @param {MatchExtended} match */
function kindOf({ pattern, dictionaryName }) {
  if (pattern === 'bruteforce' || pattern === 'separator') return undefined
  if (pattern !== 'dictionary') return 'pattern'
  return dictionaryName === 'userInputs' ? 'personal' : 'word'
}

parentPort?.on('message', answer)
parentPort?.postMessage('ready')
