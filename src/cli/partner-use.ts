import { Command, Option } from 'commander'
import { countedDays, deprecatedCallsOf, useOf } from '../developer-api/use.ts'
import { type RangeName, ranges } from '../panel/periods.ts'
import { answer, withDatabase } from './command.ts'

type Json = { json?: boolean }

export function useCommand(): Command {
  return new Command('use')
    .description('show the calls of a partner over time, as on the developer pages')
    .argument('<client_id>')
    .addOption(
      new Option('--range <range>', 'the last hours or days').choices(Object.keys(ranges)).default('24h'),
    )
    .option('--json', 'print JSON')
    .action((clientId: string, options: Json & { range: RangeName }) =>
      withDatabase(async (database) => {
        const use = await useOf(database, clientId, options.range, new Date())
        const lines = use.data.map(
          ({ at, calls, refused, failed }) =>
            `${at.toISOString()}  ${calls} calls, ${refused} refused, ${failed} failed`,
        )
        answer(options, use, lines.join('\n'))
      }),
    )
}

export function deprecatedCallsCommand(): Command {
  return new Command('deprecated-calls')
    .description(`list deprecated operations that a partner has called in the last ${countedDays} days`)
    .argument('<client_id>')
    .option('--json', 'print JSON')
    .action((clientId: string, options: Json) =>
      withDatabase(async (database, config) => {
        const calls = await deprecatedCallsOf(database, config, clientId, new Date())
        const lines = calls.map(
          ({ operation, calls: count, last_hour: last, successor }) =>
            `${operation}  ${count} calls, the last one in the hour of ${last.toISOString()}${successor ? `; use ${successor}` : ''}`,
        )
        answer(options, calls, lines.join('\n') || 'The partner calls nothing that is deprecated.')
      }),
    )
}
