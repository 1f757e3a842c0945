import { emailOf, password } from './directory.ts'
import type { TestServer } from './server.ts'
import { type Page, Visitor } from './visitor.ts'

export const right = (userId: string) => ({ email: emailOf(userId), password })
export const wrong = (userId: string) => ({ email: emailOf(userId), password: 'not the password' })

export function loginPage(server: TestServer, visitor = new Visitor()): Promise<Page> {
  return visitor.get(`${server.authUrl}/login`)
}

/** One login attempt in a new browser. */
export async function attempt(
  server: TestServer,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Page> {
  const visitor = new Visitor()
  return visitor.submit(await loginPage(server, visitor), '/login', fields, headers)
}

/** Sets a cookie as a sibling host or a plain http page could. */
export async function plant(
  { jar }: Visitor,
  server: TestServer,
  name: string,
  value: string,
): Promise<void> {
  await jar.setCookie(`${name}=${value}; Path=/; HttpOnly`, server.authUrl)
}

export async function cookieOf(
  { jar }: Visitor,
  server: TestServer,
  name: string,
): Promise<string | undefined> {
  return (await jar.getCookies(server.authUrl)).find(({ key }) => key === name)?.value
}

/** Occupies both slots for password hashing, as two very slow hashes would. @returns a function that frees them */
export function holdHashing({ context }: TestServer): () => void {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  for (let place = 0; place < 2; place++) void context.passwordHashLimiter.hash(() => released)
  return release
}
