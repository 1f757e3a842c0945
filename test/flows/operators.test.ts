import { afterAll, beforeAll, expect, test } from 'vitest'
import { nextCode } from '../support/factors.ts'
import {
  addOperator,
  logInOperator,
  newOperator,
  openSetup,
  operatorPassword,
  typePassword,
} from '../support/operators.ts'
import { type TestServer, testServer } from '../support/server.ts'
import { redirectOf, Visitor } from '../support/visitor.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

test('an operator sets up the account with the link, and signs in with password and code', async () => {
  const { email, secret, codes, browser } = await newOperator(server, { name: 'Olive Owner' })
  expect(codes).toHaveLength(10)
  const overview = await browser.get(`${server.authUrl}/admin`)
  expect(overview.status).toBe(200)
  expect(overview.text).toContain('Olive Owner')

  const other = new Visitor()
  expect(redirectOf(await other.get(`${server.authUrl}/admin`))?.href).toBe(
    `${server.authUrl}/admin/login?next=%2Fadmin`,
  )
  const answer = await logInOperator(server, other, { email, secret })
  expect(redirectOf(answer)?.pathname).toBe('/admin')
  expect((await other.follow(answer)).status).toBe(200)
})
