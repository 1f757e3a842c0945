/** What the codes of Node and OpenSSL mean for the partner: what happened, then what to do. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens at its port. Start it, or correct the port',
  ECONNRESET:
    'it closed the connection without an answer. Check its log, or the log of the proxy in front of it',
  EPIPE: 'it closed the connection before it had read the event. Check its log',
  ETIMEDOUT: 'its network did not answer. Let its firewall accept connections from this service',
  EHOSTUNREACH: 'its network cannot be reached. Check the address and the firewall',
  ENETUNREACH: 'its network cannot be reached. Check the address and the firewall',
  EPROTO: 'it does not speak TLS at this port. Check that the port is the one for https',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired. Renew it',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its TLS certificate is for another host. Use one for the host of the address',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its TLS certificate is self-signed. Use one of a public certificate authority',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its TLS certificate is from an authority that is not public. Use one of a public certificate authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'it does not send the intermediate certificates of its TLS certificate. Configure the whole chain',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'it does not send the intermediate certificates of its TLS certificate. Configure the whole chain',
}

/** A sentence for the partner, with the code for those who know it. */
export function connectionFault(error: unknown): string {
  const code = codeOf(error)
  const known = Object.hasOwn(reasons, code) ? reasons[code] : undefined
  return known === undefined
    ? `The connection to the receiver failed: ${code}.`
    : `The connection to the receiver failed: ${known} (${code}).`
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  return 'code' in error ? String(error.code) : error.message
}
