import { createApp } from './app.tsx'
import { readConfig } from './config.ts'

try {
  const config = readConfig(process.env)
  const app = createApp(config)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void app.close())

  const { port, protocol, origin } = config.partnerUrl
  await app.listen({ host: 'localhost', port: Number(port) || (protocol === 'https:' ? 443 : 80) })
  console.log(`partner app ready ${JSON.stringify({ partner_url: origin })}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
