import type { FactsOf, Mail } from '../outbox/mails.ts'
import type { Texts } from '../web/languages/languages.ts'

/** What a mail says, for both of its versions. */
export type MailContent = {
  subject: string
  paragraphs: string[]
  link: { label: string; address: string }
  /** A paragraph behind the link. */
  note?: string
}

/** `link` is that of the mail, opened; empty if this mail brings none. The other links begin with `authUrl`. */
export type MailFrame = { texts: Texts; authUrl: string; brand: string; link: string }

/** Minutes for which a link to set a new password works. */
export const resetMinutes = 30

export function contentOf(mail: Mail, frame: MailFrame): MailContent {
  const { texts, authUrl, brand, link: address } = frame
  const { mails } = texts
  switch (mail.mail) {
    case 'connected':
      return connected(mail.facts, frame)
    case 'connection_ends':
      return connectionEnds(mail.facts, frame)
    case 'password_changed':
      return passwordChanged(mail.facts, frame)
    case 'factors_changed':
      return factorsChanged(mail.facts, frame)
    case 'leaked':
      return leaked(mail.facts, frame)
    case 'new_browser':
      return newBrowser(mail.facts, frame)
    case 'password_reset': {
      const { subject, text, notYou, link: label } = mails.passwordReset
      const link = { label, address }
      return { subject: subject(brand), paragraphs: [text(resetMinutes)], link, note: notYou }
    }
    case 'no_password': {
      const { subject, text, notYou, link: label } = mails.noPassword
      const link = { label, address: `${authUrl}/login` }
      return { subject: subject(brand), paragraphs: [text(brand)], link, note: notYou }
    }
    case 'invitation': {
      const { subject, text, link: label } = mails.invitation
      const paragraphs = [text(brand, momentText(mail.facts.until, texts))]
      return { subject: subject(brand), paragraphs, link: { label, address } }
    }
    case 'developer_invited': {
      const { subject, text, link: label } = mails.developerInvited
      const partner = oneLine(mail.facts.partner)
      const paragraphs = [text(partner, brand, momentText(mail.facts.until, texts))]
      return { subject: subject(partner), paragraphs, link: { label, address } }
    }
    case 'developer_added': {
      const { subject, text, notYet, link: label } = mails.developerAdded
      const partner = oneLine(mail.facts.partner)
      const link = { label, address: `${authUrl}/developers` }
      return { subject: subject(partner), paragraphs: [text(partner, brand)], link, note: notYet }
    }
    case 'webhook_disabled': {
      const { subject, text, toEnable, link: label } = mails.webhookDisabled
      const { client_id: clientId, cause } = mail.facts
      const [partner, host] = [oneLine(mail.facts.partner), oneLine(mail.facts.host)]
      const link = { label, address: `${authUrl}/developers/apps/${encodeURIComponent(clientId)}/webhooks` }
      return { subject: subject(partner), paragraphs: [text[cause](partner, host), toEnable], link }
    }
  }
}

function connected(facts: FactsOf<'connected'>, { texts, authUrl, brand }: MailFrame): MailContent {
  const { subject, text, notYou, link: label } = texts.mails.connected
  const partner = oneLine(facts.partner)
  return {
    subject: subject(partner),
    paragraphs: [text(partner, brand, momentText(facts.at, texts)), notYou],
    link: { label, address: `${authUrl}/connections` },
  }
}

function connectionEnds(facts: FactsOf<'connection_ends'>, { texts, authUrl }: MailFrame): MailContent {
  const { subject, text, toRenew, link: label } = texts.mails.connectionEnds
  const partner = oneLine(facts.partner)
  return {
    subject: subject(partner),
    paragraphs: [text(partner, momentText(facts.until, texts)), toRenew],
    link: { label, address: `${authUrl}/connections` },
  }
}

function leaked(facts: FactsOf<'leaked'>, { texts, authUrl }: MailFrame): MailContent {
  const { subject, text, ended, link: label } = texts.mails.leaked
  const partner = oneLine(facts.partner)
  return {
    subject: subject(partner),
    paragraphs: [text(partner, momentText(facts.at, texts)), ended[facts.ended](partner)],
    link: { label, address: `${authUrl}/connections` },
  }
}

function passwordChanged(
  { by, at }: FactsOf<'password_changed'>,
  { texts, authUrl, brand }: MailFrame,
): MailContent {
  const { subject, text, notYou, link: label } = texts.mails.passwordChanged
  return {
    subject: subject(brand),
    paragraphs: [text[by](momentText(at, texts)), notYou],
    link: { label, address: `${authUrl}/password/forgotten` },
  }
}

function factorsChanged(
  { change, at }: FactsOf<'factors_changed'>,
  { texts, authUrl, brand }: MailFrame,
): MailContent {
  const { subject, text, notYou, link: label } = texts.mails.factorsChanged
  return {
    subject: subject(brand),
    paragraphs: [text[change](momentText(at, texts)), notYou],
    link: { label, address: `${authUrl}/security` },
  }
}

function newBrowser(facts: FactsOf<'new_browser'>, { texts, authUrl, brand }: MailFrame): MailContent {
  const { subject, text, notYou, link: label } = texts.mails.newBrowser
  return {
    subject: subject(brand),
    paragraphs: [text(browserText(facts, texts), momentText(facts.at, texts)), notYou],
    link: { label, address: `${authUrl}/sessions` },
  }
}

/**
 * Names of common browsers and systems only. They come from the User-Agent: an attacker who logs in could make the mail say
 * anything, with an address that mail programs turn into a link.
 */
function browserText(facts: FactsOf<'new_browser'>, { sessions }: Texts): string {
  const [browser, system] = [facts.browser, facts.system].map((name) =>
    name !== null && /^[A-Za-z0-9 ]{1,40}$/.test(name) ? name : null,
  )
  return browser && system ? sessions.browserOn(browser, system) : (browser ?? system ?? sessions.unknown)
}

/** A name must not begin a new line: it could add a header to the mail, or sentences that look like ours. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

const moment = {
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
  timeZoneName: 'short',
} as const

function momentText(at: string, { language }: Texts): string {
  return new Intl.DateTimeFormat(language, moment).format(new Date(at))
}
