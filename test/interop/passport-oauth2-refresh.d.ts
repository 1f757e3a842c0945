/** The package has no types, and there is no @types package. This declares what the tests call. */
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
