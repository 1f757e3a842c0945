import type { FastifyReply } from 'fastify'

/** Sends a page that only this browser may keep, and no cache. */
export function sendDocument(
  reply: FastifyReply,
  html: string,
  { status, language, ...csp }: CspOptions & { status: number; language: string },
): FastifyReply {
  return reply
    .status(status)
    .header('content-security-policy', contentSecurityPolicy(csp))
    .header('cache-control', 'no-store')
    .header('content-language', language)
    .type('text/html; charset=utf-8')
    .send(html)
}

type CspOptions = { formAction?: string | undefined; scripts: boolean }

function contentSecurityPolicy({ formAction = '', scripts }: CspOptions): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ...(scripts ? ["script-src 'self'"] : []),
    `form-action 'self' ${formAction}`.trim(),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}
