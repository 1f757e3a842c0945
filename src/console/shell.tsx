import type { ComponentChildren } from 'preact'
import type { Role } from '../operators/scopes.ts'
import type { Operator } from '../operators/sessions.ts'
import { type Frame, renderShell } from '../panel/shell.tsx'
import type { IconName } from '../web/icons.tsx'

/** The parts of the console, in the order of the navigation. */
const sections = {
  overview: { label: 'Overview', href: '/admin', icon: 'chart' },
  partners: { label: 'Partners', href: '/admin/partners', icon: 'wallet' },
  users: { label: 'Users', href: '/admin/users', icon: 'user' },
  grants: { label: 'Grants', href: '/admin/grants', icon: 'link' },
  requests: { label: 'Requests', href: '/admin/requests', icon: 'code' },
  reads: { label: 'Reads', href: '/admin/reads', icon: 'eye' },
  incidents: { label: 'Incidents', href: '/admin/incidents', icon: 'alert' },
  imports: { label: 'Imports', href: '/admin/imports', icon: 'upload' },
  keys: { label: 'Keys', href: '/admin/keys', icon: 'key' },
  operators: { label: 'Operators', href: '/admin/operators', icon: 'shield' },
  audit: { label: 'Audit', href: '/admin/audit', icon: 'book' },
  settings: { label: 'Settings', href: '/admin/settings', icon: 'gear' },
} as const satisfies Record<string, { label: string; href: string; icon: IconName }>

export type Section = keyof typeof sections

export const consoleFrame = {
  name: 'console',
  search: {
    action: '/admin/search',
    label: 'Search the console',
    placeholder: 'Search partners, users, request ids',
  },
} as const satisfies Partial<Frame>

export type ConsolePage = {
  title: string
  /** The part of the console that the page belongs to. Absent for the operator's own account. */
  section?: Section
  body: ComponentChildren
  /** What was searched for. */
  query?: string
}

export const roleNames: Record<Role, string> = { owner: 'Owner', support: 'Support', read_only: 'Read-only' }

/** A complete page of the console. */
export function renderConsolePage(
  frame: Frame,
  { name: operatorName, email, role }: Operator,
  csrf: string,
  { section, ...page }: ConsolePage,
): string {
  const navigation = Object.entries(sections).map(([name, item]) => ({
    ...item,
    isCurrent: name === section,
  }))
  return renderShell(
    frame,
    { name: operatorName, email, role: roleNames[role], csrf },
    { ...page, navigation },
  )
}
