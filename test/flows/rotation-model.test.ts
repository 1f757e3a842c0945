import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connectionOf, issued, passTime, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, refresh, type TokenAnswer, token } from '../support/journey.ts'
import { ofRuns } from '../support/property-runs.ts'
import { Visitor } from '../support/visitor.ts'

const day = 24 * 3600
const ada = new Visitor()

const server = await serverFixture({ users: ['ada'] })
const partner = await server.partner()
const other = await server.partner({ name: 'Other Partner' })

/** The rule of docs/adr/0005 as plain arithmetic. */
class Model {
  /** Each token is followed by its successor. Times are in seconds. */
  readonly chain: { expiresAt: number; rotatedAt?: number }[] = [{ expiresAt: 30 * day }]
  now = 0
  revokedFor: 'refresh_replayed' | 'partner' | null = null

  /** @returns the index of the successor in the chain, or why there is none */
  present(index: number): number | 'replayed' | 'revoked' | 'expired' {
    const [presented, successor] = this.chain.slice(index)
    if (!presented) throw new Error('the model has no such token')
    if (this.revokedFor) return 'revoked'
    const { rotatedAt } = presented
    if (rotatedAt !== undefined && this.now - rotatedAt >= 60 && successor?.rotatedAt !== undefined) {
      this.revokedFor = 'refresh_replayed'
      return 'replayed'
    }
    if (presented.expiresAt <= this.now) return 'expired'
    presented.rotatedAt ??= this.now
    this.chain[index + 1] = { ...successor, expiresAt: this.now + 30 * day }
    return index + 1
  }
}

type Operation =
  | { do: 'refresh'; back: number; workers: number; answer: 'arrives' | 'is lost' }
  | { do: 'wait'; seconds: number }
  | { do: 'steal'; back: number }
  | { do: 'revoke'; back: number; by: 'partner' | 'other' }

/** How many tokens back from the newest one that the client has. Mostly 0, as with real clients. */
const back = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.nat(4) })

const operation = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record<Operation & { do: 'refresh' }>({
      do: fc.constant('refresh'),
      back,
      workers: fc.constantFrom(1, 1, 1, 4),
      answer: fc.constantFrom('arrives', 'arrives', 'is lost'),
    }),
  },
  {
    weight: 5,
    // Sums of these reach 60 s and 30 days exactly. The real time that passes in addition puts the server just past the limit.
    arbitrary: fc.record<Operation & { do: 'wait' }>({
      do: fc.constant('wait'),
      seconds: fc.constantFrom(10, 50, 60, 3600, 10 * day, 20 * day),
    }),
  },
  { weight: 1, arbitrary: fc.record<Operation & { do: 'steal' }>({ do: fc.constant('steal'), back }) },
  {
    weight: 1,
    arbitrary: fc.record<Operation & { do: 'revoke' }>({
      do: fc.constant('revoke'),
      back,
      by: fc.constantFrom('partner', 'other'),
    }),
  },
)

const explanations = {
  replayed: /^Refresh token reuse detected\./,
  revoked: /[Tt]he connection has been revoked/,
  expired: /^Expired refresh token/,
}

/** The chain as the test knows it: every refresh token ever issued, and how many of them reached the client. */
type Client = { texts: string[]; reached: number }

async function apply(step: Operation, model: Model, client: Client): Promise<void> {
  const [root = ''] = client.texts
  if (step.do === 'wait') {
    model.now += step.seconds
    return passTime(server, root, step.seconds)
  }
  const index = Math.max(0, client.reached - 1 - step.back)
  const presented = client.texts[index] ?? expect.fail('no such token')
  if (step.do === 'steal') {
    expect(await refresh(server, other, presented)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    return
  }
  if (step.do === 'revoke') {
    const by = step.by === 'partner' ? partner : other
    expect((await token(server, by, { token: presented }, 'revoke')).status).toBe(200)
    if (step.by === 'partner') model.revokedFor ??= 'partner'
    return
  }
  const answers = await Promise.all(
    Array.from({ length: step.workers }, () => refresh(server, partner, presented)),
  )
  const expected = answers.map(() => model.present(index))
  const [first] = expected
  if (typeof first === 'number') {
    for (const answer of answers) await expectSuccessor(answer, first, client)
    if (step.answer === 'arrives') client.reached = Math.max(client.reached, first + 1)
    return
  }
  // Any of the parallel replays may be the one that revokes. Each answer may therefore have any of the expected reasons.
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const reasons = expected.flatMap((outcome) => (typeof outcome === 'string' ? explanations[outcome] : []))
    const given = String(answer.body.error_description)
    expect(reasons.some((reason) => reason.test(given))).toBe(true)
  }
}

async function expectSuccessor(answer: TokenAnswer, index: number, client: Client): Promise<void> {
  const { accessToken, refreshToken } = issued(answer)
  client.texts[index] ??= refreshToken
  expect(refreshToken).toBe(client.texts[index])
  expect(new Set(client.texts).size).toBe(client.texts.length)
  expect((await api(server, 'households', accessToken)).status).toBe(200)
}

const refreshStep = (back = 0, answer: 'arrives' | 'is lost' = 'arrives', workers = 1): Operation => ({
  do: 'refresh',
  back,
  workers,
  answer,
})
const wait = (seconds: number): Operation => ({ do: 'wait', seconds })
/** Every case of the rule at least once, regardless of what the generator produces. */
const examples: [Operation[]][] = [
  [
    [
      refreshStep(),
      refreshStep(),
      wait(50),
      refreshStep(2),
      wait(10),
      refreshStep(2, 'arrives', 4),
      refreshStep(),
      refreshStep(1),
    ],
  ],
  [
    [
      refreshStep(0, 'is lost'),
      wait(20 * day),
      refreshStep(0, 'is lost', 4),
      wait(10 * day),
      refreshStep(),
      { do: 'steal', back: 0 },
    ],
  ],
  [
    [
      refreshStep(0, 'is lost'),
      wait(20 * day),
      refreshStep(),
      wait(20 * day),
      refreshStep(),
      wait(60),
      refreshStep(2),
      refreshStep(),
    ],
  ],
  [
    [
      refreshStep(),
      wait(3600),
      { do: 'revoke', back: 1, by: 'other' },
      refreshStep(1),
      { do: 'revoke', back: 1, by: 'partner' },
      refreshStep(),
    ],
  ],
]

test('for any sequence of operations, the chain follows docs/adr/0005', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 16 }), async (steps) => {
      const begun = await tokensFor(server, partner, 'ada', { visitor: ada })
      const model = new Model()
      const client: Client = { texts: [begun.refreshToken], reached: 1 }
      for (const step of steps) {
        await apply(step, model, client)
        expect(await connectionOf(server, begun.refreshToken)).toMatchObject({
          revoked_for: model.revokedFor,
          refresh_tokens: model.chain.length,
        })
      }
    }),
    { numRuns: ofRuns(40), examples },
  )
}, 60_000)
