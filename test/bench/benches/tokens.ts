import type { Request } from 'autocannon'
import { compare } from '../compare.ts'
import { form, newCodes, readTokens, redeem, tokenBody, tokenUrl } from '../journey.ts'
import { connections, type Load, loadHttp } from '../load.ts'
import type { Table } from '../table.ts'
import type { World } from '../world.ts'

const noPeer = 'There is no other server to compare with yet: absolute figures.'
/** Redeemed in one round; they live for a minute, and each is a journey through the pages. */
const codesARound = 200

export async function refresh(world: World): Promise<Table[]> {
  const codes = await newCodes(world, world.partner, 'granted', connections)
  const chains = await Promise.all(
    codes.map(async (code) => (await redeem(world, world.partner, code)).refresh_token),
  )
  const load = (seconds: number) => rotate(world, chains, seconds)
  const about = {
    title: 'Refresh with rotation',
    note: `Each connection sends its latest refresh token, and each answer is on disk. ${noPeer}`,
  }
  const latchkey = { name: 'Latchkey', pid: world.server, load }
  return [await compare(about, [latchkey], world.effort, world.postmaster)]
}

/** One round. `chains` has the latest token of each connection; an answer that the round's end cuts off is asked for again. */
function rotate(world: World, chains: string[], duration: number): Promise<Load> {
  let taken = 0
  return loadHttp({
    url: tokenUrl(world),
    duration,
    setupClient(client) {
      const chain = taken++
      client.setRequests([
        {
          method: 'POST',
          headers: form,
          setupRequest: (request) => ({
            ...request,
            body: tokenBody(world.partner, {
              grant_type: 'refresh_token',
              refresh_token: chains[chain] ?? '',
            }),
          }),
          onResponse(status, body) {
            if (status === 200) chains[chain] = readTokens(body).refresh_token
          },
        },
      ])
    },
  })
}

export async function exchange(world: World): Promise<Table[]> {
  let codes: string[] = []
  const latchkey = {
    name: 'Latchkey',
    pid: world.server,
    prepare: async () => {
      codes = await newCodes(world, world.partner, 'granted', codesARound)
    },
    load: () => redeemAll(world, codes),
  }
  const about = {
    title: 'Code exchange',
    note: `${codesARound} codes a round, made before it by as many presses of *Connect*. ${noPeer}`,
  }
  return [await compare(about, [latchkey], world.effort, world.postmaster)]
}

function redeemAll(world: World, codes: string[]): Promise<Load> {
  let taken = 0
  const setupRequest = (request: Request): Request => ({
    ...request,
    body: tokenBody(world.partner, { grant_type: 'authorization_code', code: codes[taken++] ?? '' }),
  })
  return loadHttp({
    url: tokenUrl(world),
    amount: codes.length,
    setupClient: (client) => client.setRequests([{ method: 'POST', headers: form, setupRequest }]),
  })
}
