import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import OAuth2Strategy, { type VerifyCallback } from 'passport-oauth2'
import refresh from 'passport-oauth2-refresh'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { api } from '../support/journey.ts'
import {
  disconnect,
  households,
  logInAndConnect,
  type PartnerApp,
  startPartnerApp,
} from '../support/partner-app.ts'

type Tokens = { accessToken: string; refreshToken: string }

let app: PartnerApp
/** The partner's own users. The index is the user's id at the partner. */
const users: Tokens[] = []

beforeAll(async () => {
  app = await startPartnerApp()
  app.serve(partnerSite())
})
afterAll(() => app.close())

/** Passport set up as in its guide: with a session and `state: true`. A user who connects is logged in at the partner. */
function partnerSite() {
  const { server, partner } = app
  const strategy = new OAuth2Strategy(
    {
      authorizationURL: `${server.authUrl}/api/oauth2/authorize`,
      tokenURL: `${server.baseUrl}oauth2/token`,
      clientID: partner.clientId,
      clientSecret: partner.clientSecret,
      callbackURL: partner.redirectUri,
      scope: 'openid',
      state: true,
    },
    (accessToken: string, refreshToken: string, _profile: unknown, done: VerifyCallback) => {
      done(null, { number: users.push({ accessToken, refreshToken }) - 1 })
    },
  )
  const passport = new Passport()
  passport.use(strategy)
  refresh.use(strategy)
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user: Express.User, done) => done(null, user))

  const site = express()
  site.use(session({ secret: 'of the partner', resave: false, saveUninitialized: false }))
  site.use(passport.session())
  site.get('/', passport.authenticate('oauth2'))
  site.get('/callback', passport.authenticate('oauth2', { successRedirect: '/welcome' }))
  site.get('/welcome', (request, response) => {
    response.send(request.user ? 'Welcome' : 'Not logged in')
  })
  return site
}

function requestNewTokens(refreshToken: string): Promise<Tokens> {
  return new Promise((resolve, reject) => {
    refresh.requestNewAccessToken('oauth2', refreshToken, (refused, accessToken, newRefreshToken) => {
      if (refused) reject(refused)
      else resolve({ accessToken, refreshToken: newRefreshToken })
    })
  })
}

// The library has no revocation. Here the user disconnects.
test('passport-oauth2: the journey with state, refresh, and disconnection by the user', async () => {
  const { server, origin, page } = app
  await page.goto(origin)
  await logInAndConnect(app)
  expect(await page.textContent('body')).toBe('Welcome')
  const [tokens] = users
  if (!tokens) throw new Error('Passport verified no user')
  expect(await api(server, 'households', tokens.accessToken)).toMatchObject({ status: 200, body: households })

  const refreshed = await requestNewTokens(tokens.refreshToken)
  expect(refreshed.refreshToken).not.toBe(tokens.refreshToken)
  expect(await api(server, 'households', refreshed.accessToken)).toMatchObject({ body: households })

  await disconnect(app)
  for (const { accessToken } of [tokens, refreshed]) {
    expect(await api(server, 'households', accessToken)).toMatchObject({ status: 401 })
  }
  await expect(requestNewTokens(refreshed.refreshToken)).rejects.toMatchObject({
    statusCode: 400,
    data: expect.stringContaining('"error":"invalid_grant"'),
  })
})
