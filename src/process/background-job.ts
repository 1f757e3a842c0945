export type BackgroundJobOptions<T> = {
  everyMs: number
  run: () => Promise<T>
  /** Gets the error of a run that the timer started. The timer continues. */
  onError: (error: unknown) => void
}

/** Work that repeats in the background, one run at a time. */
export class BackgroundJob<T = void> {
  readonly #options: BackgroundJobOptions<T>
  #current: Promise<T> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: BackgroundJobOptions<T>) {
    this.#options = options
  }

  /** Runs every `everyMs` from now on, until `stop`. The timer does not keep the process alive. */
  start(): void {
    const { everyMs, onError } = this.#options
    this.#timer = setInterval(() => this.run().catch(onError), everyMs).unref()
  }

  /** Runs now. If a run is in progress, the caller gets the result of that run. */
  run(): Promise<T> {
    this.#current ??= this.#options.run().finally(() => {
      this.#current = undefined
    })
    return this.#current
  }

  /** Starts no further run. Resolves when the current run has ended, even if it failed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#current?.catch(() => {})
  }
}
