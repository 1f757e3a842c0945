import type { ComponentChildren } from 'preact'
import type { DeveloperRole } from '../developer-keys/roles.ts'
import type { Developer, MemberApp } from '../developers/sessions.ts'
import type { Environment } from '../environment.ts'
import { type Frame, renderShell } from '../panel/shell.tsx'
import type { IconName } from '../web/icons.tsx'

/** `role`: only developers with this role see it. `environment`: it exists only there. */
type Section = {
  label: string
  path: string
  icon: IconName
  role?: DeveloperRole
  environment?: Environment
}

/** The parts of an application's pages, in the order of the navigation. `path`: below `/developers/apps/:client_id`. */
const sections = {
  overview: { label: 'Overview', path: '', icon: 'chart' },
  application: { label: 'Application', path: '/application', icon: 'gear' },
  credentials: { label: 'Credentials', path: '/credentials', icon: 'key' },
  requests: { label: 'Requests', path: '/requests', icon: 'code' },
  deprecated: { label: 'Deprecated calls', path: '/deprecated', icon: 'clock' },
  grants: { label: 'Grants', path: '/grants', icon: 'link' },
  webhooks: { label: 'Webhooks', path: '/webhooks', icon: 'bell' },
  people: { label: 'People', path: '/people', icon: 'user', role: 'admin' },
  going_live: {
    label: 'Go live',
    path: '/going-live',
    icon: 'upload',
    role: 'admin',
    environment: 'sandbox',
  },
} as const satisfies Record<string, Section>

export type DeveloperSection = keyof typeof sections

export type DeveloperPage = {
  title: string
  /** The part of the application that the page belongs to. */
  section?: DeveloperSection
  body: ComponentChildren
}

/** How the pages call the roles. */
export const roleNames: Record<DeveloperRole, string> = {
  admin: 'Administrator',
  developer: 'Developer',
  viewer: 'Viewer',
}

/** The address of a page of an application. @param path `/webhooks`, for example */
export function appAddress({ clientId }: Pick<MemberApp, 'clientId'>, path = ''): string {
  return `/developers/apps/${encodeURIComponent(clientId)}${path}`
}

/** A complete page. Within an application it has the navigation of that application. */
export function renderDeveloperPage(
  frame: Frame,
  { name: viewer, email, app }: Developer,
  csrf: string,
  { section, ...page }: DeveloperPage,
): string {
  const all = {
    label: 'Applications',
    href: '/developers',
    icon: 'wallet',
    isCurrent: app === undefined,
  } as const
  const ofApp = app
    ? Object.entries<Section>(sections)
        .filter(
          ([, { role = app.role, environment = frame.environment }]) =>
            role === app.role && environment === frame.environment,
        )
        .map(([name, { label, path, icon }]) => ({
          ...{ label, icon, href: appAddress(app, path), isCurrent: name === section },
        }))
    : []
  // `/docs` leads to the docs, which may be at another host.
  const docs = { label: 'Documentation', href: '/docs', icon: 'book', isCurrent: false } as const
  const role = app && roleNames[app.role]
  const shown = { name: viewer, email, csrf, ...(role && { role }) }
  return renderShell(frame, shown, { ...page, navigation: [...ofApp, all, docs] })
}
