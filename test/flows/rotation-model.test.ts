import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connectionOf, issued, tokensFor } from '../support/connection.ts'
import { serverFixture } from '../support/fixtures.ts'
import { api, refresh, type TokenAnswer, token } from '../support/journey.ts'
import { ofRuns } from '../support/property-runs.ts'
import { Visitor } from '../support/visitor.ts'

const day = 24 * 3600
/** 30 days, and the minute in which a successor keeps its text. */
const lifetime = 30 * day + 60
const ada = new Visitor()

const server = await serverFixture({ clock: true, users: ['ada'] })
const partner = await server.partner()
const other = await server.partner({ name: 'Other Partner' })

/** The rules of docs/adr/0019 as plain arithmetic. Times are in seconds. */
class Model {
  /** When each refresh token expires, and when it was rotated. */
  readonly chain: { expiresAt: number; rotatedAt?: number }[] = [{ expiresAt: lifetime }]
  now = 0
  revokedFor: 'refresh_replayed' | 'partner' | null = null
  #refreshedAt = 0
  /** Moments at least 60 s apart: tokens that were rotated between one and the next are accepted until 120 s after it. */
  readonly #marks = [0]

  /** @returns the index of the answered token in the chain, or why there is none */
  present(index: number): number | 'replayed' | 'revoked' | 'expired' {
    const presented = this.chain[index]
    if (!presented) throw new Error('the model has no such token')
    if (this.revokedFor) return 'revoked'
    const newest = this.chain.length - 1
    if (newest - index > 1 && !this.#rotatedWithinGrace(presented.rotatedAt ?? 0)) {
      this.revokedFor = 'refresh_replayed'
      return 'replayed'
    }
    if (presented.expiresAt <= this.now) return 'expired'
    if (index === newest) {
      presented.rotatedAt = this.now
      if (this.now - (this.#marks.at(-1) ?? 0) >= 60) this.#marks.push(this.now)
    }
    if (index === newest || this.now - this.#refreshedAt >= 60) this.#refreshedAt = this.now
    const answered = Math.max(index + 1, newest)
    this.chain[answered] = { ...this.chain[answered], expiresAt: this.#refreshedAt + lifetime }
    return answered
  }

  #rotatedWithinGrace(rotatedAt: number): boolean {
    const mark = this.#marks.filter((at) => at <= rotatedAt).at(-1) ?? 0
    return this.now - mark < 120
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
    // Sums of these reach 60 and 120 s exactly. The real time that passes in addition puts the server just past the limit.
    // No sum is near the lifetime of a token, which the server rounds up to a second.
    arbitrary: fc.record<Operation & { do: 'wait' }>({
      do: fc.constant('wait'),
      seconds: fc.constantFrom(10, 50, 60, 3600, 10 * day - 1000, 20 * day),
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
type Client = { texts: { text: string; expiresAt: number }[]; reached: number }

async function apply(step: Operation, model: Model, client: Client): Promise<void> {
  if (step.do === 'wait') {
    model.now += step.seconds
    return server.passTime(step.seconds)
  }
  const index = Math.max(0, client.reached - 1 - step.back)
  const presented = client.texts[index]?.text ?? expect.fail('no such token')
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
    for (const answer of answers) await expectToken(answer, first, model, client)
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

/** The text of a token changes only when its 30 days begin again. */
async function expectToken(answer: TokenAnswer, index: number, model: Model, client: Client): Promise<void> {
  const { accessToken, refreshToken } = issued(answer)
  const expiresAt = model.chain[index]?.expiresAt ?? expect.fail('the model has no such token')
  const known = client.texts[index]
  if (known?.expiresAt === expiresAt) expect(refreshToken).toBe(known.text)
  client.texts[index] = { text: refreshToken, expiresAt }
  expect(new Set(client.texts.map(({ text }) => text)).size).toBe(client.texts.length)
  expect((await api(server, 'households', accessToken)).body).toEqual([])
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
      wait(60),
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

test('for any sequence of operations, the chain follows docs/adr/0019', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 16 }), async (steps) => {
      const begun = await tokensFor(server, partner, 'ada', { visitor: ada })
      const model = new Model()
      const client: Client = { texts: [{ text: begun.refreshToken, expiresAt: lifetime }], reached: 1 }
      for (const step of steps) {
        await apply(step, model, client)
        expect(await connectionOf(server, begun.refreshToken)).toMatchObject({
          revoked_for: model.revokedFor,
          generation: model.chain.length,
        })
      }
    }),
    { numRuns: ofRuns(40), examples },
  )
}, 60_000)
