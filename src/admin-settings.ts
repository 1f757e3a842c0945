import { optional, parseNetworks, parseOrigin, parsePort, type ReadVariable } from './config-values.ts'

/** Where operators reach the console and the admin API. */
export type AdminSettings = {
  /** Their origin: `authUrl`, or that of a separate listener. */
  url: string
  /** Absent: they are on the public listener. Present: the public listener does not serve them. */
  listener?: { host: string; port: number }
  /** Only these addresses and networks may use them. Empty: all. */
  networks: string[]
}

type PublicAddresses = { authUrl: string; port: number; opsPort: number }

/**
 * Reads `LATCHKEY_ADMIN_*`. Undefined: there is a fault.
 * @param addresses of the other listeners, if they have no fault
 */
export function readAdminSettings(
  env: NodeJS.ProcessEnv,
  read: ReadVariable,
  faults: string[],
  addresses: PublicAddresses | undefined,
): AdminSettings | undefined {
  const port = read('LATCHKEY_ADMIN_PORT', '', optional(parsePort))
  const networks = read('LATCHKEY_ADMIN_NETWORKS', '', parseNetworks)
  const ownUrl = port ? `http://localhost:${port}` : (addresses?.authUrl ?? 'http://localhost:4000')
  const url = read('LATCHKEY_ADMIN_URL', ownUrl, parseOrigin)
  if (port && addresses && [addresses.port, addresses.opsPort].includes(port)) {
    faults.push('LATCHKEY_ADMIN_PORT: must differ from LATCHKEY_PORT and LATCHKEY_OPS_PORT')
  }
  if (port === null && (env.LATCHKEY_ADMIN_HOST || env.LATCHKEY_ADMIN_URL)) {
    faults.push('LATCHKEY_ADMIN_HOST, LATCHKEY_ADMIN_URL: need LATCHKEY_ADMIN_PORT as well')
  }
  if (!url || !networks) return undefined
  const host = env.LATCHKEY_ADMIN_HOST || '127.0.0.1'
  return { url, networks, ...(port && { listener: { host, port } }) }
}
