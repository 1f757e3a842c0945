import type { adminCaller } from '../admin.ts'
import type { TestServer } from '../server.ts'

/** The three ways in which an operator changes something. */
export type Door = 'cli' | 'api' | 'console'

/** The deployment on which the use cases run. `call` uses an API key with all scopes. */
export type World = { server: TestServer; call: ReturnType<typeof adminCaller>; firm: string; role: string }

/** What is changed: created anew for each door. */
export type Subject = { id: string; door: Door; more: string } & Pick<World, 'firm' | 'role'>

type Form = {
  /** The page with the form, below `/admin`. */
  page: string
  /** Where the form goes, below `/admin`. By default the address of the page. */
  action?: string
  /** What the operator types. The other fields keep the values that the page has. */
  fields?: Record<string, string>
}

/** A change, and how it is made through each door. */
export type UseCase = {
  subject?: (world: World, door: Door) => Promise<{ id: string; more?: string }>
  command?: (subject: Subject) => string[]
  /** The operation of the admin API. */
  operation?: string
  request?: (subject: Subject) => [method: string, path: string, body?: unknown]
  form?: (subject: Subject) => Form
  /** Why a door is missing. */
  because?: string
}

export type UseCases = Record<string, UseCase>
