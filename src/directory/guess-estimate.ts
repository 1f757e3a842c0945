import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import Type, { Compile, type Static } from '../typebox.ts'

/** `personal` are words that an attacker knows about the user. */
export type StrengthRequest = { password: string; personal: string[] }

/** What makes a password easy to guess. */
const WeakPart = Type.Union([
  Type.Literal('personal'),
  Type.Literal('common'),
  Type.Literal('pattern'),
  Type.Literal('word'),
])
export type WeakPart = Static<typeof WeakPart>

/** How many guesses an attacker needs if the likely passwords come first, in powers of ten. */
const StrengthEstimate = Type.Object({ log10: Type.Number(), weakest: WeakPart })
export type StrengthEstimate = Static<typeof StrengthEstimate>
const compiled = Compile(StrengthEstimate)

/** Milliseconds after which an unused thread ends, and with it the memory of its dictionaries. */
const idleTime = 60_000

/** Milliseconds after which an estimate is given up. The time in which the thread loads its dictionaries does not count. */
const longestEstimate = 10_000

let thread: Worker | undefined
let idleTimer: NodeJS.Timeout | undefined
const turn = pLimit(1)

/** Estimates in a separate thread, one at a time. The first estimate starts it and loads the dictionaries. */
export function estimateGuesses(request: StrengthRequest): Promise<StrengthEstimate> {
  return turn(async () => {
    clearTimeout(idleTimer)
    thread ??= await startThread()
    const current = thread
    current.ref()
    try {
      const signal = AbortSignal.timeout(longestEstimate)
      const answer = once(current, 'message', { signal })
      current.postMessage(request)
      const [estimate] = await answer
      idleTimer = setTimeout(endThread, idleTime).unref()
      return compiled.Parse(estimate)
    } catch (error) {
      endThread()
      throw error
    } finally {
      current.unref()
    }
  })
}

async function startThread(): Promise<Worker> {
  const started = new Worker(new URL('./guess-worker.mjs', import.meta.url))
  await once(started, 'message')
  return started
}

function endThread(): void {
  void thread?.terminate()
  thread = undefined
}
