import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

const { BASE_URL = '', ACCESS_TOKEN, CLIENT_ID, CLIENT_SECRET, REFRESH_TOKEN } = process.env
const client = createClient<paths>({
  baseUrl: BASE_URL,
  headers: { authorization: `Bearer ${ACCESS_TOKEN}` },
})

const page = await client.GET('/api/v2/households', { params: { query: { limit: 2 } } })
const households: components['schemas']['Household'][] = page.data?.data ?? []
const missing = await client.GET('/api/v2/households/{household_id}', {
  params: { path: { household_id: 'none' } },
})
const code: components['schemas']['Problem']['code'] | undefined = missing.error?.code
const tokens = await createClient<paths>({ baseUrl: BASE_URL }).POST('/oauth2/token', {
  body: {
    grant_type: 'refresh_token',
    refresh_token: REFRESH_TOKEN ?? '',
    client_id: CLIENT_ID ?? '',
    client_secret: CLIENT_SECRET ?? '',
  },
})
console.log(
  JSON.stringify({ ids: households.map(({ id }) => id), code, token_type: tokens.data?.token_type }),
)
