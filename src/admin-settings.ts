/** Where operators reach the console and the admin API. */
export type AdminSettings = {
  /** Their origin: `authUrl`, or that of a separate listener. */
  url: string
  /** Absent: they are on the public listener. Present: the public listener does not serve them. */
  listener?: { host: string; port: number }
  /** Only these addresses and networks may use them. Empty: all. */
  networks: string[]
}

type Read = <T>(name: string, defaultText: string, parse: (text: string) => T) => T | undefined

type Public = { authUrl: string; port: number; opsPort: number }

/** Reads `LATCHKEY_ADMIN_*`. Undefined: there is a fault. */
export function readAdminSettings(
  env: NodeJS.ProcessEnv,
  read: Read,
  faults: string[],
  parse: {
    port(text: string): number
    origin(text: string): string
    networks(text: string): string[]
    public: Public | undefined
  },
): AdminSettings | undefined {
  const port = read('LATCHKEY_ADMIN_PORT', '', (text) => (text === '' ? null : parse.port(text)))
  const networks = read('LATCHKEY_ADMIN_NETWORKS', '', parse.networks)
  const ownUrl = port ? `http://localhost:${port}` : (parse.public?.authUrl ?? 'http://localhost:4000')
  const url = read('LATCHKEY_ADMIN_URL', ownUrl, parse.origin)
  if (port && parse.public && [parse.public.port, parse.public.opsPort].includes(port)) {
    faults.push('LATCHKEY_ADMIN_PORT: must differ from LATCHKEY_PORT and LATCHKEY_OPS_PORT')
  }
  if (port === null && (env.LATCHKEY_ADMIN_HOST || env.LATCHKEY_ADMIN_URL)) {
    faults.push('LATCHKEY_ADMIN_HOST, LATCHKEY_ADMIN_URL: need LATCHKEY_ADMIN_PORT as well')
  }
  if (!url || !networks) return undefined
  const host = env.LATCHKEY_ADMIN_HOST || '127.0.0.1'
  return { url, networks, ...(port && { listener: { host, port } }) }
}
