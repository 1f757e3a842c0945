import { MultiBar, Presets, type SingleBar } from 'cli-progress'
import { Command, InvalidArgumentError } from 'commander'
import {
  type ImportOutcome,
  importDirectory,
  type OnProgress,
  type Prune,
} from '../import/import-directory.ts'
import type { Removal } from '../import/prune.ts'
import type { WeakerLogins } from '../import/requirements.ts'
import { reservedIn } from '../sandbox/data.ts'
import { answer, CommandError, withDatabase } from './command.ts'

type Imported = Extract<ImportOutcome, { kind: 'imported' }>
type Options = { json?: boolean; prune?: true; atMost?: number }

export function importCommand(): Command {
  return new Command('import')
    .description('import firms, roles, users, households, accounts and account access from CSV files')
    .argument('<dir>', 'the directory with the files')
    .option('--prune', 'report which rows would be removed because they are not in the files; change nothing')
    .option(
      '--at-most <rows>',
      'with --prune: import and remove, unless more rows would be removed',
      wholeNumber,
    )
    .option('--json', 'print JSON')
    .action(async (directory: string, options: Options) => {
      const prune = pruneOf(options)
      const display = progressDisplay(process.stderr)
      const { onProgress } = display
      const { signal, stopListening } = listenForInterrupt()
      const outcome = await withDatabase((database, config, origin) =>
        importDirectory(database, origin, directory, {
          ...{ prune, reserved: reservedIn(config), onProgress, signal },
        }),
      ).finally(() => {
        display.stop()
        stopListening()
      })
      reportOutcome(outcome, directory, options)
    })
}

/**
 * Aborts on Ctrl-C and SIGTERM. Another signal more than a second later ends the process, and PostgreSQL rolls back the open
 * transaction. Signals within a second count once, because npm forwards the Ctrl-C that the terminal also sends.
 */
function listenForInterrupt(): { signal: AbortSignal; stopListening(): void } {
  const controller = new AbortController()
  let abortedAt = 0
  const interrupt = () => {
    if (controller.signal.aborted && Date.now() - abortedAt > 1000) process.exit(130)
    if (!controller.signal.aborted) abortedAt = Date.now()
    controller.abort()
  }
  const signals = ['SIGINT', 'SIGTERM']
  for (const signal of signals) process.on(signal, interrupt)
  return {
    signal: controller.signal,
    stopListening() {
      for (const signal of signals) process.off(signal, interrupt)
    },
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a number of rows.')
  return Number(text)
}

function pruneOf({ prune, atMost }: Options): Prune | undefined {
  if (atMost !== undefined && !prune) throw new CommandError('--at-most needs --prune')
  return prune && { atMost }
}

function reportOutcome(outcome: ImportOutcome, directory: string, options: Options): void {
  if (outcome.kind === 'busy') {
    throw new CommandError(
      'Another session is changing the same tables, for example another import. Nothing was changed. Try again later.',
    )
  }
  if (outcome.kind === 'interrupted') {
    throw new CommandError('Interrupted: nothing was changed.', 'interrupted')
  }
  if (outcome.kind === 'refused') {
    const more = outcome.total - outcome.faults.length
    throw new CommandError(
      [...outcome.faults, ...(more > 0 ? [`… and ${more} more.`] : []), 'Nothing was changed.'].join('\n'),
    )
  }
  if (outcome.kind === 'planned') reportPlan(outcome, directory, options)
  else reportImported(outcome, options)
}

function reportImported(outcome: Imported, options: Options): void {
  if (outcome.vacuumFailure !== null) {
    process.stderr.write(
      `All data is stored, but VACUUM failed (${outcome.vacuumFailure}): pages are slower until autovacuum has run.\n`,
    )
  }
  const text = Object.entries(outcome.files).map(
    ([file, { added, changed, unchanged, removed }]) =>
      `${file}: ${added} added, ${changed} changed, ${unchanged} unchanged${removed === undefined ? '' : `, ${removed} removed`}`,
  )
  const { files, keptDisabled, weakerLogins } = outcome
  if (keptDisabled.length > 0) text.push(describeKept(keptDisabled))
  text.push(...describeWeaker(weakerLogins))
  const json = { files, kept_disabled: keptDisabled, weaker_logins: weakerLogins }
  answer(options, json, text.join('\n'))
}

const shownAtMost = 20

function describeKept(ids: string[]): string {
  const who = ids.length === 1 ? '1 user stays' : `${ids.length} users stay`
  return `${who} disabled by the operator: ${firstOf(ids)}. \`latchkey user enable\` undoes it.`
}

/** The settings of `firm update` and `role update` are not in the files. An import that drops one must say so. */
function describeWeaker({ users, removed }: WeakerLogins): string[] {
  const who = users.length === 1 ? '1 user gets' : `${users.length} users get`
  return [
    users.length === 0
      ? []
      : `WARNING: ${who} a firm or role that requires a weaker login: ${firstOf(users)}. \`latchkey role list\` and \`latchkey firm list\` show what is required.`,
    removed.length === 0
      ? []
      : `WARNING: removed with the settings of its logins: ${firstOf(removed)}. If a later import adds it again, it has none.`,
  ].flat()
}

function firstOf(names: string[]): string {
  return [...names.slice(0, shownAtMost), ...(names.length > shownAtMost ? ['…'] : [])].join(', ')
}

function reportPlan(
  { removals, weakerLogins }: Extract<ImportOutcome, { kind: 'planned' }>,
  directory: string,
  options: Options,
): void {
  const total = Object.values(removals).reduce((sum, { rows }) => sum + rows, 0)
  const lines = [
    ...Object.entries(removals).map(([file, removal]) => planned(file, removal)),
    ...describeWeaker(weakerLogins),
  ]
  if (options.atMost !== undefined) {
    throw new CommandError(
      [...lines, `${total} rows would be removed, more than ${options.atMost}. Nothing was changed.`].join(
        '\n',
      ),
    )
  }
  const quoted = `'${directory.replaceAll("'", `'\\''`)}'`
  const command = `latchkey import ${quoted} --prune --at-most ${total}`
  const text = [...lines, `Nothing was changed. To import, and remove these: ${command}`].join('\n')
  answer(options, { would_remove: removals, weaker_logins: weakerLogins }, text)
}

function planned(file: string, { rows, of, first }: Removal): string {
  if (rows === 0) return `would remove: ${file} nothing`
  const ids = [...first, ...(rows > first.length ? ['…'] : [])].join(', ')
  const warning = rows > of / 5 ? ' – MORE THAN A FIFTH: is the file complete?' : ''
  return `would remove: ${file} ${rows} of ${of} (${ids})${warning}`
}

type ProgressDisplay = { onProgress: OnProgress; stop(): void }

/** Shows progress bars on a terminal. Otherwise prints one line when a step begins. Both go to standard error. */
function progressDisplay(stream: NodeJS.WriteStream): ProgressDisplay {
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
