import autocannon from 'autocannon'
import Type, { type Static } from 'typebox'
import { quantile } from './statistics.ts'

/** What one round did: `elapsed` in seconds, latencies in milliseconds. */
export const Load = Type.Object({
  calls: Type.Number(),
  elapsed: Type.Number(),
  p50: Type.Number(),
  p99: Type.Number(),
})
export type Load = Static<typeof Load>

/** As many as the server has database connections: more would only wait. */
export const connections = 10

export type Requests = Pick<autocannon.Options, 'url' | 'headers' | 'requests' | 'setupClient'> &
  ({ duration: number } | { amount: number })

/**
 * One round of HTTP by autocannon, keep-alive, one request at a time on each connection.
 * @throws when an answer is not 200: a fast refusal is no figure
 */
export async function loadHttp(requests: Requests): Promise<Load> {
  const latencies: number[] = []
  const refused: number[] = []
  const started = performance.now()
  let ended = started
  await new Promise<void>((resolve, reject) => {
    const run = autocannon({ connections, sampleInt: 50, ...requests }, (error: Error | null, result) => {
      if (error) reject(error)
      else if (result.errors > 0) reject(new Error(`${result.errors} requests failed: ${requests.url}`))
      else resolve()
    })
    run.on('response', (_client, status, _bytes, milliseconds) => {
      ended = performance.now()
      if (status === 200) latencies.push(milliseconds)
      else refused.push(status)
    })
  })
  if (refused.length > 0)
    throw new Error(`${refused.length} answers with ${refused[0]} instead of 200: ${requests.url}`)
  return summary(latencies, (ended - started) / 1000)
}

export function summary(latencies: number[], elapsed: number): Load {
  return { calls: latencies.length, elapsed, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }
}
