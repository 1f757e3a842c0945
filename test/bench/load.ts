import autocannon from 'autocannon'
import Type, { type Static } from 'typebox'
import { quantile } from './statistics.ts'

/** The result of one round: `elapsed` in seconds, latencies in milliseconds. */
export const Load = Type.Object({
  calls: Type.Number(),
  elapsed: Type.Number(),
  p50: Type.Number(),
  p99: Type.Number(),
})
export type Load = Static<typeof Load>

/** As many as the server has database connections. Further ones would only queue. */
export const connections = 10

export type Requests = Pick<
  autocannon.Options,
  'url' | 'headers' | 'requests' | 'setupClient' | 'overallRate'
> &
  ({ duration: number } | { amount: number }) & {
    /** The expected status of every response; 200 by default. */ status?: number
  }

/**
 * One round of HTTP by autocannon, with keep-alive and one request at a time on each connection.
 * @throws when a response has another status, because errors are often faster
 */
export async function loadHttp({ status: expected = 200, ...requests }: Requests): Promise<Load> {
  const latencies: number[] = []
  const refused: number[] = []
  const started = performance.now()
  let ended = started
  await new Promise<void>((resolve, reject) => {
    const run = autocannon(
      { connections, sampleInt: 50, timeout: 60, ...requests },
      (error: Error | null, result) => {
        if (error) reject(error)
        else if (result.errors > 0) reject(new Error(`${result.errors} requests failed: ${requests.url}`))
        else resolve()
      },
    )
    run.on('response', (_client, status, _bytes, milliseconds) => {
      ended = performance.now()
      if (status === expected) latencies.push(milliseconds)
      else refused.push(status)
    })
  })
  if (refused.length > 0)
    throw new Error(`${refused.length} responses with ${refused[0]} instead of ${expected}: ${requests.url}`)
  return summary(latencies, (ended - started) / 1000)
}

/** Sends requests at a fixed rate, regardless of the responses. */
export async function flood(
  requests: Pick<autocannon.Options, 'url' | 'headers' | 'duration' | 'overallRate'>,
) {
  // In a thread, so that it does not delay the requests that are measured.
  await autocannon({ connections, workers: 1, ...requests })
}

/** Repeats the work for so many seconds, at least once, in so many parallel workers. */
export function repeat(seconds: number, workers: number, work: () => Promise<unknown>): Promise<Load> {
  return inParallel(workers, work, (elapsed) => elapsed >= seconds * 1000)
}

/** Does the work so many times, at least once in each of so many parallel workers. `work` gets the number of its worker. */
export function repeatTimes(
  count: number,
  workers: number,
  work: (worker: number) => Promise<unknown>,
): Promise<Load> {
  let left = count - workers
  return inParallel(workers, work, () => left-- <= 0)
}

/** `isOver` is asked after each piece of work, with the milliseconds since the start. */
async function inParallel(
  workers: number,
  work: (worker: number) => Promise<unknown>,
  isOver: (elapsed: number) => boolean,
): Promise<Load> {
  const latencies: number[] = []
  const started = performance.now()
  const repeating = async (worker: number) => {
    do {
      const begun = performance.now()
      await work(worker)
      latencies.push(performance.now() - begun)
    } while (!isOver(performance.now() - started))
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => repeating(worker)))
  return summary(latencies, (performance.now() - started) / 1000)
}

function summary(latencies: number[], elapsed: number): Load {
  return { calls: latencies.length, elapsed, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }
}
