import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { SecretKeys } from '../secrets/derived-keys.ts'
import Type, { Compile } from '../typebox.ts'
import { ChainedRecord, canonicalJson, chainHash } from './chain-hash.ts'
import { isSignedValue, type SignedCheckpoint } from './checkpoint.ts'
import { toOcsf } from './ocsf.ts'
import type { AuditFault } from './verify.ts'

/** What the signature and the hash do not cover must not be in a line. */
const closed = { additionalProperties: false }

const Seal = Type.Object(
  {
    first: Type.String(),
    last: Type.String(),
    previous_hash: Type.String(),
    last_hash: Type.String(),
    key_id: Type.String(),
    signature: Type.String(),
  },
  closed,
)

const Line = Compile(
  Type.Object({
    unmapped: Type.Object(
      {
        place: Type.String(),
        hash: Type.String(),
        record: Type.Object(ChainedRecord.properties, closed),
        seal: Type.Optional(Seal),
      },
      closed,
    ),
  }),
)

/** `signature` says whether the seal was verified; `unverifiable`: its secret is no longer configured. */
export type ExportVerification = {
  fault: AuditFault | null
  rows: number
  signature: 'verified' | 'unverifiable' | 'missing'
}

/**
 * Checks the lines of an export: nothing was changed, removed, inserted or moved, and the end is not cut off.
 * @throws {Error} with `syscall` when the file cannot be read
 */
export async function verifyExport(file: string, keys: SecretKeys): Promise<ExportVerification> {
  const check = new ExportCheck(keys)
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    if (!check.add(line)) break
  }
  return check.end()
}

class ExportCheck {
  readonly #keys: SecretKeys
  #rows = 0
  #hash = ''
  #place = 0n
  #seal: { first: string; last: string; last_hash: string } | undefined
  #signature: ExportVerification['signature'] = 'missing'
  #fault: AuditFault | undefined

  constructor(keys: SecretKeys) {
    this.#keys = keys
  }

  /** @returns whether the line is right */
  add(text: string): boolean {
    this.#fault = this.#faultOf(text)
    return this.#fault === undefined
  }

  end(): ExportVerification {
    const fault = this.#fault ?? this.#faultAtEnd()
    return { fault: fault ?? null, rows: this.#rows, signature: this.#signature }
  }

  #faultOf(text: string): AuditFault | undefined {
    const line = parsed(text)
    const next = String(this.#place + 1n)
    if (!Line.Check(line)) {
      return {
        place: this.#rows === 0 ? null : next,
        reason: `line ${this.#rows + 1} is not a line of an export`,
      }
    }
    const { place, hash, record, seal } = line.unmapped
    if (this.#rows === 0) {
      if (!seal) return { place, reason: 'the first line has no seal: lines before it were removed' }
      const { signature, ...content } = seal
      const isOwn = isSignedValue(this.#keys, seal.key_id, content, signature)
      if (isOwn === false) return { place, reason: 'the seal has a wrong signature' }
      this.#signature = isOwn === undefined ? 'unverifiable' : 'verified'
      this.#seal = seal
      this.#hash = seal.previous_hash
      this.#place = BigInt(seal.first) - 1n
    }
    if (this.#rows > 0 && seal) return { place, reason: 'a seal was added' }
    this.#place += 1n
    const expected = String(this.#place)
    if (place !== expected) return { place: expected, reason: 'a row is missing or in another place' }
    const computed = chainHash(Buffer.from(this.#hash, 'hex'), record).toString('hex')
    if (computed !== hash) return { place, reason: 'the row was changed' }
    // The fields of OCSF are what people search: they must say the same as the record.
    const { record: _, ...unmapped } = line.unmapped
    if (canonicalJson(line) !== canonicalJson(toOcsf(record, unmapped))) {
      return { place, reason: 'a field of the event was changed' }
    }
    this.#hash = hash
    this.#rows += 1
    return undefined
  }

  #faultAtEnd(): AuditFault | undefined {
    const seal = this.#seal
    if (!seal) return undefined
    if (String(this.#place) !== seal.last) {
      return { place: String(this.#place + 1n), reason: 'the end is cut off' }
    }
    if (this.#hash !== seal.last_hash) {
      return { place: seal.last, reason: 'rows were changed and chained again' }
    }
    return undefined
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const LogLine = Compile(
  Type.Object({
    event: Type.Literal('audit_checkpoint'),
    number: Type.String({ pattern: '^[0-9]{1,18}$' }),
    place: Type.String({ pattern: '^[0-9]{1,18}$' }),
    hash: Type.String(),
    at: Type.String(),
    key_id: Type.String(),
    signature: Type.String(),
  }),
)

/** The checkpoints in the server's log, JSON lines. Other lines are ignored. @throws {Error} with `syscall` as above */
export async function readCheckpoints(file: string): Promise<SignedCheckpoint[]> {
  const found: SignedCheckpoint[] = []
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const entry = line.includes('audit_checkpoint') ? parsed(line) : undefined
    if (!LogLine.Check(entry)) continue
    const { number, place, hash, at, key_id, signature } = entry
    found.push({ number, place, hash, at, key_id, signature })
  }
  return found
}
