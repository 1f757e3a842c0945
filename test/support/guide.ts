import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HTMLElement, parse } from 'node-html-parser'
import { connectAt, type Login } from './journey.ts'
import type { TestPartner, TestServer } from './server.ts'

/** The languages between which a reader of the docs switches. */
type GuideLanguage = 'sh' | 'python' | 'ts'

type GuideRun = {
  server: Pick<TestServer, 'baseUrl'>
  /** The reader's own application. Not needed if the sandbox publishes one. */
  partner?: TestPartner
  /** The user who logs in. */
  user: Login
  /** The address of the guide below `{base_url}docs/`. */
  slug: string
  language: GuideLanguage
  /** Variables that the shell has in addition. */
  env?: Record<string, string>
  /**
   * What the user's browser does with the address to which it is sent at the end: `paste` types it into the terminal,
   * `open` requests it, because the guide's program listens there, on the port of the partner's redirect URI.
   */
  arrival?: 'paste' | 'open'
}

/**
 * Does what a reader of a served guide does: pastes its commands into a terminal, with the partner's own credentials, saves
 * its files, and logs in when the guide prints the address for the browser. Fails if a command fails.
 * @returns what the terminal shows
 */
export async function runGuide(run: GuideRun): Promise<string> {
  const { server, partner, user, arrival = 'paste', env = {} } = run
  const response = await fetch(`${server.baseUrl}docs/${run.slug}`)
  // By default, this parser does not look into `<pre>`.
  const page = parse(await response.text(), { blockTextElements: { script: true, style: true } })
  let script = guideScript(page, run.language)
  if (partner) {
    script = script
      .replaceAll('<CLIENT_ID>', partner.clientId)
      .replaceAll('<CLIENT_SECRET>', partner.clientSecret)
      .replaceAll('8400', new URL(partner.redirectUri).port)
  }
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-guide-'))
  const shell = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    detached: true, // A program of the guide may still run when the shell has ended. Both are then in one group.
  })
  let [output, faults, connected] = ['', '', false]
  shell.stderr.on('data', (chunk) => {
    faults += chunk
  })
  shell.stdout.on('data', async (chunk) => {
    output += chunk
    const [address] = /^http\S+\/api\/oauth2\/authorize\?\S+$/m.exec(output) ?? []
    if (address === undefined || connected) return
    connected = true
    try {
      const returned = await connectAt(address, user)
      if (arrival === 'paste') shell.stdin.write(`${returned}\n`)
      else await fetch(returned)
    } catch (error) {
      faults += `\nthe browser failed: ${error}`
      endGroup(shell.pid)
    }
  })
  try {
    const [code] = await once(shell, 'close')
    if (code !== 0) throw new Error(`the guide ended with ${code}:\n${output}\n${faults}`)
    return output
  } finally {
    endGroup(shell.pid)
    rmSync(folder, { recursive: true, force: true })
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {
    // Every process has ended.
  }
}

/** The commands of a guide in their order, for readers of this language. A block with a file name is saved as that file. */
function guideScript(page: HTMLElement, language: GuideLanguage): string {
  const blocks = page.querySelectorAll('figure[data-language]').filter((figure) => {
    const [own, tab] = [figure.getAttribute('data-language') ?? '', figure.getAttribute('data-tab')]
    const isCode = ['sh', 'python', 'ts'].includes(own)
    return isCode && !figure.hasAttribute('data-skip') && (tab ?? language) === language
  })
  if (blocks.length === 0) throw new Error(`the guide has no commands for ${language}`)
  return blocks
    .map((figure) => {
      const text = figure.querySelector('pre code')?.text ?? ''
      const file = figure.getAttribute('data-file')
      if (file) return `cat > '${file}' <<'END_OF_FILE'\n${text}\nEND_OF_FILE`
      if (figure.getAttribute('data-language') !== 'sh') throw new Error(`this block needs a file:\n${text}`)
      return text
    })
    .join('\n')
}
