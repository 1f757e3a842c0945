/** The package brings no types, and nobody else gives any: what the tests call of it. */
declare module 'passport-oauth2-refresh' {
  import type { Strategy } from 'passport'

  type Refused = { statusCode: number; data?: string }
  const refresh: {
    use(strategy: Strategy): void
    requestNewAccessToken(
      name: string,
      refreshToken: string,
      done: (refused: Refused | null, accessToken: string, refreshToken: string) => void,
    ): void
  }
  export = refresh
}
