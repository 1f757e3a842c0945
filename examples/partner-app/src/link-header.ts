/** The target of the link with relation `rel` in a `Link` header (RFC 8288). */
export function findLink(header: string | null, rel: string): string | undefined {
  for (const [, target, parameters = ''] of (header ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    const relations = /;\s*rel="?([^";,]*)/i.exec(parameters)?.[1]?.split(' ')
    if (relations?.includes(rel)) return target
  }
  return undefined
}
