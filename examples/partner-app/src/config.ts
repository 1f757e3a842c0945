export interface Config {
  authUrl: URL
  baseUrl: URL
  partnerUrl: URL
  clientId: string
  clientSecret: string
  /** Of the webhook endpoint `{partnerUrl}/webhooks`. Undefined: the app gets no events. */
  webhookSecret: string | undefined
  dataDir: string
}

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/** Reads the configuration. @throws {Error} one error that lists everything that is invalid */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const faults: string[] = []

  function required(name: string) {
    if (!env[name]) faults.push(`${name} is not set.`)
    return env[name] ?? ''
  }

  function url(name: string, fallback: string) {
    const value = env[name] || fallback
    if (!URL.canParse(value)) {
      faults.push(`${name} is not a URL: ${value}`)
      return new URL(fallback)
    }
    const parsed = new URL(value)
    const secure = parsed.protocol === 'https:'
    const local = parsed.protocol === 'http:' && loopbackHosts.includes(parsed.hostname)
    if (!secure && !local) faults.push(`${name} must be https (http is for localhost only): ${value}`)
    return parsed
  }

  const config = {
    authUrl: url('LATCHKEY_AUTH_URL', 'http://localhost:4000'),
    baseUrl: url('LATCHKEY_BASE_URL', 'http://localhost:4000/service-open-api/'),
    partnerUrl: url('PARTNER_URL', 'http://localhost:4010'),
    clientId: required('PARTNER_CLIENT_ID'),
    clientSecret: required('PARTNER_CLIENT_SECRET'),
    webhookSecret: env.PARTNER_WEBHOOK_SECRET || undefined,
    dataDir: env.PARTNER_DATA_DIR || './partner-app-data',
  }
  if (faults.length > 0) throw new Error(`Invalid configuration:\n- ${faults.join('\n- ')}`)
  return config
}
