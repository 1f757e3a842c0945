import { compare } from '../compare.ts'
import { loadHttp } from '../load.ts'
import { number, type Table } from '../table.ts'
import type { World } from '../world.ts'

const deepest = 5000

export async function depth(world: World): Promise<Table[]> {
  const headers = { authorization: `Bearer ${world.tokens.firm}` }
  const first = `${world.baseUrl}api/v1/households?page_size=100`
  const deep = await walk(first, headers)
  const counted = new URL(deep.url)
  counted.searchParams.delete('cursor')
  const pages = {
    'first page': first,
    'deep page, by Link': deep.url,
    'deep page, by its number': counted.href,
  }
  const contenders = Object.entries(pages).map(([name, url]) => ({
    name,
    pid: world.server,
    load: (seconds: number) => loadHttp({ url, headers, duration: seconds }),
  }))
  const about = {
    title: `Page ${number(deep.page)} of 100 each`,
    note: 'A client that follows `Link` never pays for the pages before; one that counts pages itself does.',
  }
  return [await compare(about, contenders, world.effort, world.postmaster)]
}

/** Follows `Link` to the last full page, but no further than the deepest. */
async function walk(first: string, headers: Record<string, string>): Promise<{ url: string; page: number }> {
  let here = { url: first, page: 0 }
  let next = await linkOf(first, headers)
  while (next && here.page < deepest) {
    here = { url: next, page: here.page + 1 }
    next = await linkOf(next, headers)
  }
  return here
}

async function linkOf(url: string, headers: Record<string, string>): Promise<string | undefined> {
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  return /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
}
