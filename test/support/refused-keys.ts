import { expect } from 'vitest'

type Api = { url: string; realm: string; operations: readonly { method: string; path: string }[] }

/**
 * Calls each operation without a key that works: 401 with the reason, and nothing else is read.
 * @param anchor the reason on the error's page
 * @param suffix follows the path: a query
 */
export async function expectKeyRefused(
  { url, realm, operations }: Api,
  { headers, anchor, suffix = '' }: { headers: Record<string, string>; anchor: string; suffix?: string },
): Promise<void> {
  for (const { method, path } of operations) {
    const response = await fetch(`${url}${path}${suffix}`, {
      method,
      // The body would be refused too, so the key is checked first.
      headers: { ...headers, 'content-type': 'text/plain' },
      ...(method !== 'GET' && { body: 'x' }),
    })
    const { code } = await response.json()
    expect([method, path, response.status, code]).toEqual([method, path, 401, 'invalid_api_key'])
    const challenge = response.headers.get('www-authenticate')
    expect(challenge).toContain(`Bearer realm="${realm}"`)
    if (anchor !== 'key-missing') expect(challenge).toContain(`/docs/errors/invalid_api_key#${anchor}"`)
    expect(response.headers.get('set-cookie')).toBeNull()
  }
}
