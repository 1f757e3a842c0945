import { Configuration, HouseholdsApi, ResponseError, TokensApi } from './client/index'

const { BASE_URL = '', ACCESS_TOKEN = '', CLIENT_ID = '', CLIENT_SECRET = '', REFRESH_TOKEN } = process.env

async function main(): Promise<void> {
  const api = new HouseholdsApi(new Configuration({ basePath: BASE_URL, accessToken: ACCESS_TOKEN }))
  const page = await api.syncHouseholds({ limit: 2 })
  const code: string = await api.getHousehold({ householdId: 'none' }).then(
    () => 'found',
    async (error: unknown) =>
      error instanceof ResponseError ? (await error.response.json()).code : 'no response',
  )
  const tokens = await new TokensApi(new Configuration({ basePath: BASE_URL })).requestToken({
    tokenRequest: {
      grantType: 'refresh_token',
      refreshToken: REFRESH_TOKEN,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
    },
  })
  console.log(JSON.stringify({ ids: page.data.map(({ id }) => id), code, token_type: tokens.tokenType }))
}

void main()
