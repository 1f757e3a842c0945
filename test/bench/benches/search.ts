import { compare } from '../compare.ts'
import { type Role, searched } from '../data.ts'
import { loadHttp } from '../load.ts'
import type { Table } from '../table.ts'
import type { World } from '../world.ts'

const patterns = {
  'plain page': undefined,
  '4 letters, in 1 of 20 names': searched.common,
  '7 letters, in one name': searched.rare,
  '1 letter, in most names': searched.letter,
  '1 character, in no name': searched.nowhere,
}

export async function search(world: World): Promise<Table[]> {
  return [await searchAs(world, 'firm'), await searchAs(world, 'granted')]
}

function searchAs(world: World, role: Role): Promise<Table> {
  const contenders = Object.entries(patterns).map(([name, pattern]) => {
    const query = new URLSearchParams({ page_size: '100', ...(pattern && { name_pattern: pattern }) })
    const url = `${world.baseUrl}api/v1/households?${query}`
    const headers = { authorization: `Bearer ${world.tokens[role]}` }
    const load = (seconds: number) => loadHttp({ url, headers, duration: seconds })
    return { name, pid: world.server, load }
  })
  const about = {
    title: `\`name_pattern\` for a role that sees \`${role}\``,
    note: 'Against the first page without a pattern.',
  }
  return compare(about, contenders, world.effort, world.postmaster)
}
