import type { MatchExtended, ZxcvbnFactory } from '@zxcvbn-ts/core'

/** What makes a password easy to guess. */
export type WeakPart = 'personal' | 'common' | 'pattern' | 'word'

export type GuessEstimate = { log10: number; weakest: WeakPart }

/** In characters. The time of an estimate grows with the square of the length and more. The rest does not count. */
const maxLength = 100

/** Loaded at the first password, because the dictionaries take memory that most processes never need. */
let loading: Promise<ZxcvbnFactory> | undefined

async function load(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ])
  return new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    maxLength,
  })
}

/**
 * Estimates how many guesses an attacker needs who tries common passwords, words, names and patterns first, in powers of ten.
 * @param personal words that the attacker knows about the user
 */
export async function estimateGuesses(password: string, personal: string[]): Promise<GuessEstimate> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined // the next password tries again
    throw error
  })
  const { guessesLog10, sequence } = (await loading).check(password, personal)
  return { log10: guessesLog10, weakest: weakestPart(sequence) }
}

/** The kind of parts that cover most of the password. Parts that an attacker must guess one by one do not count. */
function weakestPart(sequence: MatchExtended[]): WeakPart {
  const covered: Record<WeakPart, number> = { personal: 0, common: 0, pattern: 0, word: 0 }
  for (const match of sequence) {
    const kind = kindOf(match)
    if (kind) covered[kind] += match.token.length
  }
  if (covered.personal > 0) return 'personal'
  const kinds: WeakPart[] = ['common', 'pattern', 'word']
  return kinds.reduce((most, kind) => (covered[kind] > covered[most] ? kind : most))
}

function kindOf({ pattern, dictionaryName }: MatchExtended): WeakPart | undefined {
  if (pattern === 'bruteforce' || pattern === 'separator') return undefined
  if (pattern !== 'dictionary') return 'pattern'
  if (dictionaryName === 'userInputs') return 'personal'
  return dictionaryName === 'passwords-common' ? 'common' : 'word'
}
