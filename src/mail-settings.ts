import addressparser from 'nodemailer/lib/addressparser'
import { optional, type ReadVariable } from './config-values.ts'

/** How and as whom the server sends mails. */
export type MailSettings = {
  host: string
  port: number
  /** TLS from the first byte (`smtps`). Otherwise the connection begins in clear and continues with STARTTLS. */
  secure: boolean
  /** The mail server is on this machine. */
  isLoopback: boolean
  auth?: { user: string; pass: string }
  /** `name` is empty if it is not set. */
  from: { name: string; address: string }
}

/** Reads LATCHKEY_SMTP_URL and LATCHKEY_MAIL_FROM. Undefined: the server sends no mails, or `faults` says why it cannot. */
export function readMailSettings(read: ReadVariable, faults: string[]): MailSettings | undefined {
  const server = read('LATCHKEY_SMTP_URL', '', optional(parseSmtpUrl))
  const from = read('LATCHKEY_MAIL_FROM', '', optional(parseFrom))
  if (server && from === null) {
    faults.push('LATCHKEY_MAIL_FROM: is required with LATCHKEY_SMTP_URL; it is the sender of all mails')
  }
  if (from && server === null) faults.push('LATCHKEY_MAIL_FROM: needs LATCHKEY_SMTP_URL as well')
  return server && from ? { ...server, from } : undefined
}

/** No message contains the text: it may have a password. */
function parseSmtpUrl(text: string): Omit<MailSettings, 'from'> {
  if (!/^smtps?:\/\//.test(text)) throw new Error('must begin with smtp:// or smtps://')
  if (!URL.canParse(text)) {
    throw new Error('must be a URL; percent-encode the special characters of its user name and password')
  }
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text)
  if (hostname === '') throw new Error('must name a host, such as smtps://mail.example')
  if (!['', '/'].includes(pathname) || search || hash) {
    throw new Error('must have no path, query or fragment; percent-encode the / ? # of its password')
  }
  if ((username === '') !== (password === ''))
    throw new Error('must have both a user name and a password, or neither')
  const secure = protocol === 'smtps:'
  const auth = username && { user: decoded(username), pass: decoded(password) }
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    isLoopback: isLoopback(hostname),
    ...(auth && { auth }),
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('has an invalid percent-encoding in its user name or password')
  }
}

/** `mail@example.com` or `Name <mail@example.com>`. */
function parseFrom(text: string): MailSettings['from'] {
  const [parsed, ...more] = /\p{Cc}/u.test(text) ? [] : addressparser(text)
  const address = parsed?.address ?? ''
  if (more.length > 0 || !/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(address)) {
    throw new Error(
      `must be one address, such as mail@example.com or Example <mail@example.com>, not "${text}"`,
    )
  }
  return { name: parsed?.name ?? '', address }
}
