import { type IncomingMessage, request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { type CheckedAddress, checkHost, type GuardSettings } from './address-guard.ts'
import { connectionFault } from './connection-faults.ts'

/** Seconds until the status of the answer must be there. */
const attemptSeconds = 15

/** Milliseconds for reading the beginning of the answer, and its bytes. */
const readMs = 1000
const keptBytes = 1024

/** Bytes of the header fields of an answer. */
const maxHeaderBytes = 8 * 1024

/** Answers with a status from 100 to 199 before the answer. */
const mostInformational = 10

/**
 * For the metrics. `address`: the host is unknown or its address is not allowed. `secret`: the signing secret cannot be read,
 * nothing was sent.
 */
export type AttemptOutcome = 'delivered' | 'status' | 'timeout' | 'connection' | 'address' | 'secret'

export type Attempt = {
  outcome: AttemptOutcome
  /** Null: there was no answer. */
  status: number | null
  /** A sentence for the partner. Null: delivered. */
  fault: string | null
  /** The beginning of the answer. */
  response: string | null
  /** Seconds for which the receiver wants no attempt (RFC 9110 section 10.2.3). */
  retryAfter?: number
}

/**
 * Makes one attempt: a POST request to an address that was checked just before, without redirects, proxies or a second
 * resolution. The receiver decides nothing else than the status: not how long the attempt takes, nor how much is read.
 * Rejects only if `stop` is aborted.
 */
export async function attemptDelivery(
  address: string,
  message: { headers: Record<string, string>; body: string },
  settings: GuardSettings,
  stop: AbortSignal,
): Promise<Attempt> {
  const url = new URL(address)
  const resolution = await checkHost(url, settings)
  if (resolution.kind !== 'allowed') return failed('address', resolution.fault)
  const timeout = AbortSignal.timeout(attemptSeconds * 1000)
  try {
    const answer = await post(url, resolution.addresses, message, AbortSignal.any([timeout, stop]))
    return attemptOf(answer, await beginningOf(answer))
  } catch (error) {
    stop.throwIfAborted()
    if (timeout.aborted)
      return failed('timeout', `The receiver did not answer within ${attemptSeconds} seconds.`)
    return failed('connection', connectionFault(error))
  }
}

function post(
  url: URL,
  addresses: CheckedAddress[],
  { headers, body }: { headers: Record<string, string>; body: string },
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body), 'accept-encoding': 'identity' },
    // A connection that was kept could lead to an address that was checked long ago.
    agent: false,
    lookup: lookupOf(addresses),
    maxHeaderSize: maxHeaderBytes,
    signal,
  }
  const send = url.protocol === 'https:' ? requestByHttps : requestByHttp
  return new Promise((resolve, reject) => {
    const request = send(url, options, resolve)
    let informational = 0
    request
      .on('information', () => {
        // Answers such as 103 may come without end, and reading them would keep the processor busy.
        if (++informational > mostInformational) request.destroy(new Error('too many informational answers'))
      })
      .on('error', reject)
      .on('close', () => reject(new Error('no answer'))) // for example after a switch of the protocol
      .end(body)
  })
}

function lookupOf([first, ...others]: CheckedAddress[]): LookupFunction {
  return (host, { all }, callback) => {
    if (!first) callback(new Error(`${host} has no address`), '', 4)
    else if (all) callback(null, [first, ...others])
    else callback(null, first.address, first.family)
  }
}

/** Closes the connection as soon as it has enough. An answer that breaks off counts by its status. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(() => answer.destroy(), readMs)
  try {
    for await (const piece of answer) {
      pieces.push(piece)
      bytes += piece.byteLength
      if (bytes >= keptBytes) break
    }
  } catch {
    // The status has arrived. The text is only for people.
  } finally {
    clearTimeout(timer)
    answer.destroy()
  }
  return Buffer.concat(pieces).subarray(0, keptBytes).toString().replaceAll('\0', '')
}

function attemptOf({ statusCode: status = 0, headers }: IncomingMessage, response: string): Attempt {
  if (status >= 200 && status < 300) return { outcome: 'delivered', status, fault: null, response }
  const retryAfter = status === 429 || status === 503 ? secondsOf(headers['retry-after']) : undefined
  return {
    outcome: 'status',
    status,
    fault: faultOf(status),
    response,
    ...(retryAfter !== undefined && { retryAfter }),
  }
}

function faultOf(status: number): string {
  if (status === 410) return 'The receiver answered 410 Gone. The endpoint is disabled.'
  if (status >= 300 && status < 400)
    return `The receiver answered ${status}. Redirects are not followed: register the address to which it leads.`
  if ([400, 401, 403].includes(status))
    return `The receiver answered ${status}. If it refused the signature, compare its secret with the newest of this endpoint.`
  return `The receiver answered ${status}. An event is delivered when the receiver answers with a status from 200 to 299.`
}

/** Undefined: there is no such field, or it is a date. */
function secondsOf(retryAfter: string | undefined): number | undefined {
  return /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined
}

function failed(outcome: 'address' | 'timeout' | 'connection', fault: string): Attempt {
  return { outcome, status: null, fault, response: null }
}
