import { fstatSync, write, writeSync } from 'node:fs'

const standardError = 2

/** Characters that may wait to be written. A line that would exceed this limit is dropped and counted. */
const maxBuffered = 4 * 1024 * 1024

/** Characters: the maximum of one write, and the number that is written without waiting for more. */
const maxBatch = 64 * 1024
const fullBatch = 32 * 1024

/** Milliseconds until a small batch is written, until a failed write is repeated, and until `close` gives up. */
const flushDelay = 100
const retryDelay = 1000
const closeTimeout = 1000

/** Starts one write. `done` gets the number of bytes that were written. It is never called before `Sink` returns. */
export type Sink = (bytes: Buffer, done: (error: Error | null, written: number) => void) => void

/**
 * Writes log lines. Logging must never stop the server, so no write blocks. If the disk is full or the reader stalls, lines
 * fill a bounded buffer, and further lines are dropped. Several lines go into one write, because one write for each line
 * costs as much as the rest of a short call.
 */
export class LogStream {
  readonly #sink: Sink
  readonly #onDropped: (lines: number) => void
  /** Each batch has one or more whole lines. The oldest batch is first. */
  readonly #batches: string[] = []
  /** The batch that is being written: the bytes that remain, and its length in characters. */
  #current: { rest: Buffer; length: number } | undefined
  #buffered = 0
  #dropped = 0
  #writing = false
  #timer: NodeJS.Timeout | undefined
  #failed = false
  #onEmpty: (() => void) | undefined

  /** `onDropped` is called when lines can be written again, with the number of lines that were dropped before. */
  constructor(sink: Sink, onDropped: (lines: number) => void) {
    this.#sink = sink
    this.#onDropped = onDropped
  }

  write(line: string): void {
    if (this.#buffered + line.length > maxBuffered) {
      this.#dropped += 1
      return
    }
    this.#buffered += line.length
    const last = this.#batches.length - 1
    const batch = this.#batches[last]
    if (batch !== undefined && batch.length + line.length <= maxBatch) this.#batches[last] = batch + line
    else this.#batches.push(line)
    this.#schedule()
  }

  /** Waits until everything is written, but not longer than `closeTimeout`. */
  async close(): Promise<void> {
    if (this.#buffered === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, closeTimeout)
      this.#onEmpty = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#failed = false
      this.#writeNext()
    })
    // A write whose reader stalls would keep the process alive.
    if (this.#buffered > 0) setTimeout(() => process.exit(), closeTimeout).unref()
  }

  /** Makes one attempt to write the remaining lines when the process exits. It stops where it would have to wait. */
  flushSync(): void {
    const waiting: Buffer[] = this.#batches.splice(0).map((batch) => Buffer.from(batch))
    if (this.#current && !this.#writing) waiting.unshift(this.#current.rest)
    try {
      for (const batch of waiting) if (writeSync(standardError, batch) < batch.length) return
    } catch {
      // There is no other place to report the error.
    }
  }

  #schedule(): void {
    if (this.#writing || this.#failed) return
    if (this.#buffered >= fullBatch || this.#onEmpty) this.#writeNext()
    else this.#timer ??= this.#after(flushDelay)
  }

  #after(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#failed = false
      this.#writeNext()
    }, milliseconds).unref()
  }

  #writeNext(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#writing) return
    this.#current ??= this.#nextBatch()
    if (!this.#current) return
    this.#writing = true
    this.#sink(this.#current.rest, (error, written) => this.#wrote(error, written))
  }

  #nextBatch() {
    const batch = this.#batches.shift()
    return batch === undefined ? undefined : { rest: Buffer.from(batch), length: batch.length }
  }

  #wrote(error: Error | null, written: number): void {
    this.#writing = false
    if (this.#current) {
      this.#current.rest = this.#current.rest.subarray(written)
      if (this.#current.rest.length === 0) {
        this.#buffered -= this.#current.length
        this.#current = undefined
      }
    }
    if (error) {
      this.#failed = true
      this.#timer = this.#after(retryDelay)
      return
    }
    if (this.#dropped > 0 && this.#buffered < maxBuffered / 2) {
      const dropped = this.#dropped
      this.#dropped = 0
      this.#onDropped(dropped)
    }
    if (this.#buffered > 0) this.#schedule()
    else this.#onEmpty?.()
  }
}

/**
 * Writes to standard error. On a pipe or socket whose reader stalls, `write` would block a thread, and the process could not
 * end. Node's own stream waits in the event loop instead. On a file, that stream would block, and `write` uses a thread.
 */
export function standardErrorSink(): Sink {
  const stat = fstatSync(standardError)
  if (!stat.isFIFO() && !stat.isSocket()) {
    return (bytes, done) => write(standardError, bytes, (error, written) => done(error, written ?? 0))
  }
  process.stderr.on('error', () => {}) // the callback gets the error too; without a listener it would end the process
  return (bytes, done) =>
    process.stderr.write(bytes, (error) => done(error ?? null, error ? 0 : bytes.length))
}
