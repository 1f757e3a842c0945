import { connect } from 'node:net'

/** A client that never reads, and sends `then` again and again until it is disconnected: so it notices that. */
export async function deafClient(serverUrl: string, first: string, then: string): Promise<void> {
  const { hostname, port } = new URL(serverUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.pause()
  socket.on('error', () => {}) // a reset is one way to be closed
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.write(first)
  const sending = setInterval(() => socket.write(then), 20)
  await closed
  clearInterval(sending)
}
