import { MultiBar, Presets, type SingleBar } from 'cli-progress'
import type { OnProgress } from '../directory/import/import-directory.ts'

export type ProgressDisplay = { onProgress: OnProgress; stop(): void }

/** Bars for a person at a terminal, otherwise a line for each step as it begins. Standard error either way. */
export function progressDisplay(stream: NodeJS.WriteStream): ProgressDisplay {
  return stream.isTTY ? bars(stream) : lines(stream)
}

function bars(stream: NodeJS.WriteStream): ProgressDisplay {
  const format = '{what} [{bar}] {percentage} %'
  const display = new MultiBar({ stream, format, hideCursor: true }, Presets.legacy)
  const shown = new Map<string, SingleBar>()
  return {
    onProgress(what, done, of) {
      const bar = shown.get(what) ?? display.create(of, 0, { what: what.padEnd(26) })
      shown.set(what, bar)
      bar.update(done)
    },
    stop: () => display.stop(),
  }
}

function lines(stream: NodeJS.WriteStream): ProgressDisplay {
  const shown = new Set<string>()
  return {
    onProgress(what) {
      if (!shown.has(what)) stream.write(`${what} …\n`)
      shown.add(what)
    },
    stop: () => {},
  }
}
