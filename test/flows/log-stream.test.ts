import { describe, expect, test, vi } from 'vitest'
import { LogStream, type Sink } from '../../src/http/log-stream.ts'

/** A sink that fails, stalls or accepts only a part of each write, as the test requires. */
function slowSink() {
  const written: string[] = []
  const waiting: (() => void)[] = []
  let fault: Error | null = null
  let maxBytes = Number.POSITIVE_INFINITY
  const sink: Sink = (bytes, done) => {
    waiting.push(() => {
      const count = fault ? 0 : Math.min(bytes.length, maxBytes)
      written.push(bytes.toString('utf8', 0, count))
      done(fault, count)
    })
  }
  return {
    sink,
    text: () => written.join(''),
    writes: () => written.length,
    stalled: () => waiting.length,
    /** Completes the write that is in progress. */
    finish() {
      waiting.shift()?.()
    },
    fail(error: Error | null) {
      fault = error
    },
    take(bytes: number) {
      maxBytes = bytes
    },
  }
}

const line = (n: number) => `{"n":${n},"padding":"${'x'.repeat(1000)}"}\n`
const linesOf = (text: string) => text.split('\n').filter(Boolean).length

function drain(sink: ReturnType<typeof slowSink>): void {
  while (sink.stalled() > 0) sink.finish()
}

describe('the buffer of log lines', () => {
  test('keeps up to 4 MiB while nothing can be written, then reports how many lines were dropped', () => {
    const sink = slowSink()
    const dropped: number[] = []
    const stream = new LogStream(sink.sink, (lines) => {
      dropped.push(lines)
      stream.write('dropped\n')
    })
    for (let n = 0; n < 10_000; n++) stream.write(line(n))
    expect([sink.stalled(), sink.writes()]).toEqual([1, 0])
    drain(sink)
    const kept = linesOf(sink.text()) - 1
    expect(kept * line(9999).length).toBeGreaterThan(4_000_000)
    expect(kept * line(0).length).toBeLessThan(4_300_000)
    expect(dropped).toEqual([10_000 - kept])
    expect(sink.text()).toMatch(/^\{"n":0,.*dropped\n$/s)
    expect(sink.writes()).toBeLessThan(kept / 20)
  })

  test('keeps a batch that could not be written and retries it', () => {
    vi.useFakeTimers()
    try {
      const sink = slowSink()
      const stream = new LogStream(sink.sink, () => {})
      sink.fail(new Error('ENOSPC'))
      for (let n = 0; n < 40; n++) stream.write(line(n))
      drain(sink)
      expect(sink.text()).toBe('')
      stream.write(line(40))
      expect(sink.stalled()).toBe(0) // a new line does not start another attempt
      sink.fail(null)
      vi.advanceTimersByTime(1000)
      drain(sink)
      vi.advanceTimersByTime(1000)
      drain(sink)
      expect(sink.text()).toBe(Array.from({ length: 41 }, (_, n) => line(n)).join(''))
    } finally {
      vi.useRealTimers()
    }
  })

  test('continues after the part that was written', async () => {
    const sink = slowSink()
    sink.take(700)
    const stream = new LogStream(sink.sink, () => {})
    for (let n = 0; n < 10; n++) stream.write(`${line(n)}ü\n`)
    const closed = stream.close()
    drain(sink)
    await closed
    expect(sink.text()).toBe(Array.from({ length: 10 }, (_, n) => `${line(n)}ü\n`).join(''))
  })
})
