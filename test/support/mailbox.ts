import type { Readable } from 'node:stream'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { afterAll } from 'vitest'
import type { MailSettings } from '../../src/mail-settings.ts'

/** A mail as the mail server got it. */
export type ReceivedMail = Email & {
  /** The recipients of the envelope: where the mail goes. */
  recipients: string[]
  /** The mail before it is decoded. */
  raw: string
}

export type Mailbox = {
  port: number
  /** For a server that sends its mails here. */
  settings: MailSettings
  /** The mails that arrived and were not taken. */
  received: ReceivedMail[]
  /** Takes the oldest mail. Waits until there is one. */
  next(): Promise<ReceivedMail>
  close(): Promise<void>
}

type MailboxOptions = SMTPServerOptions & {
  /** Called with each mail before it is accepted. An error refuses it. */
  onMail?: (mail: ReceivedMail) => Promise<void> | void
}

/** A real mail server on a free port. It accepts every mail. Call it at the top level of a file. */
export async function mailboxFixture(options: MailboxOptions = {}): Promise<Mailbox> {
  const mailbox = await openMailbox(options)
  afterAll(() => mailbox.close())
  return mailbox
}

async function openMailbox({ onMail, ...options }: MailboxOptions = {}): Promise<Mailbox> {
  const received: ReceivedMail[] = []
  const waiting: ((mail: ReceivedMail) => void)[] = []
  const settle = () => {
    for (let mail = received[0]; mail && waiting.length > 0; mail = received[0]) {
      received.shift()
      waiting.shift()?.(mail)
    }
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    ...options,
    async onData(stream, session, done) {
      try {
        const mail = await readMail(stream, session)
        await onMail?.(mail)
        received.push(mail)
        done()
        settle()
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  })
  server.on('error', () => {}) // connections that a test cuts
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  const { port } = address
  return {
    port,
    settings: {
      host: '127.0.0.1',
      port,
      secure: options.secure ?? false,
      isLoopback: true,
      from: { name: '', address: 'mail@latchkey.example' },
    },
    received,
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        settle()
      }),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

async function readMail(stream: Readable, { envelope }: SMTPServerSession): Promise<ReceivedMail> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const raw = Buffer.concat(chunks)
  const recipients = envelope.rcptTo.map(({ address }) => address)
  return { ...(await PostalMime.parse(raw)), recipients, raw: raw.toString() }
}
