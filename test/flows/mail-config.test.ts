import { describe, expect, test } from 'vitest'
import { configFixture } from '../support/config.ts'

const { read, faultsOf } = configFixture()
const from = 'mail@latchkey.example'

const mailOf = (url: string, sender = from) =>
  read({ LATCHKEY_SMTP_URL: url, LATCHKEY_MAIL_FROM: sender }).mail

describe('LATCHKEY_SMTP_URL and LATCHKEY_MAIL_FROM', () => {
  test('without them the server sends no mails', () => {
    expect(read()).not.toHaveProperty('mail')
    expect(read({ LATCHKEY_SMTP_URL: '', LATCHKEY_MAIL_FROM: '' })).not.toHaveProperty('mail')
  })

  test('smtps is TLS from the first byte; smtp begins in clear on the submission port', () => {
    expect(mailOf('smtps://mail.example')).toEqual({
      host: 'mail.example',
      port: 465,
      secure: true,
      isLoopback: false,
      from: { name: '', address: from },
    })
    expect(mailOf('smtp://mail.example/')).toMatchObject({ port: 587, secure: false })
    expect(mailOf('smtp://mail.example:2525')).toMatchObject({ port: 2525 })
  })

  test.each([
    ['smtp://localhost', true],
    ['smtp://127.0.0.1', true],
    ['smtp://127.1.2.3', true],
    ['smtp://[::1]', true],
    ['smtp://localhost.evil.example', false],
    ['smtp://127.0.0.1.evil.example', false],
    ['smtp://10.0.0.1', false],
  ])('%s: loopback %s', (url, isLoopback) => {
    expect(mailOf(url)).toMatchObject({ isLoopback })
  })

  test('credentials are percent-encoded', () => {
    expect(mailOf('smtps://me%40latchkey.example:p%2Fw%3A%23%40%25@[2001:db8::1]')).toMatchObject({
      host: '2001:db8::1',
      auth: { user: 'me@latchkey.example', pass: 'p/w:#@%' },
    })
  })

  test.each([
    ['mail@latchkey.example', { name: '', address: from }],
    ['Acme <mail@latchkey.example>', { name: 'Acme', address: from }],
    ['"Acme, Inc." <mail@latchkey.example>', { name: 'Acme, Inc.', address: from }],
  ])('the sender %s', (text, parsed) => {
    expect(mailOf('smtp://localhost', text)?.from).toEqual(parsed)
  })

  test.each([
    ['mail.example', 'must begin with smtp:// or smtps://'],
    ['https://hunter2@mail.example', 'must begin with smtp:// or smtps://'],
    ['smtp://', 'must'],
    ['smtp://me:hunter2@', 'must'],
    ['smtp://me:hunter2@mail.example:99999', 'must be a URL'],
    ['smtp://me:hunter2#@mail.example', 'must'],
    ['smtp://me:hunter2/x@mail.example', 'must'],
    ['smtp://me:x@mail.example/hunter2', 'no path, query or fragment'],
    ['smtp://me:x@mail.example?hunter2', 'no path, query or fragment'],
    ['smtp://hunter2@mail.example', 'both a user name and a password'],
    ['smtp://:hunter2@mail.example', 'both a user name and a password'],
    ['smtp://me:hunter2%zz@mail.example', 'percent-encod'],
  ])('LATCHKEY_SMTP_URL=%s is refused, and the error does not contain the URL', (url, explanation) => {
    const faults = faultsOf({ LATCHKEY_SMTP_URL: url, LATCHKEY_MAIL_FROM: from })
    expect(faults).toEqual([expect.stringContaining(explanation)])
    expect(faults[0]).toMatch(/^LATCHKEY_SMTP_URL: /)
    expect(faults[0]).not.toMatch(/hunter2/)
  })

  test.each([
    'Acme',
    'Acme <>',
    'a@b.example, c@d.example',
    'Group: a@b.example;',
    'Acme\r\nBcc: evil@evil.example <mail@latchkey.example>',
  ])('LATCHKEY_MAIL_FROM=%j is refused', (sender) => {
    const faults = faultsOf({ LATCHKEY_SMTP_URL: 'smtp://localhost', LATCHKEY_MAIL_FROM: sender })
    expect(faults).toEqual([expect.stringMatching(/^LATCHKEY_MAIL_FROM: must be one address/)])
  })

  test('one without the other is refused, and both faults are reported at once', () => {
    expect(faultsOf({ LATCHKEY_SMTP_URL: 'smtp://localhost' })).toEqual([
      expect.stringMatching(/^LATCHKEY_MAIL_FROM: is required with LATCHKEY_SMTP_URL/),
    ])
    expect(faultsOf({ LATCHKEY_MAIL_FROM: from })).toEqual([
      expect.stringMatching(/^LATCHKEY_MAIL_FROM: needs LATCHKEY_SMTP_URL/),
    ])
    expect(faultsOf({ LATCHKEY_SMTP_URL: 'x', LATCHKEY_MAIL_FROM: 'y' })).toHaveLength(2)
  })
})
