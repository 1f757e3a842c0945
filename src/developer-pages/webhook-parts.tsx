import { State } from '../panel/page-parts.tsx'
import type { Message } from '../webhooks/messages.sql.ts'
import { appAddress } from './shell.tsx'

/** @param part `new`, the id of an endpoint, `messages/…`. Empty: the list of endpoints */
export function webhookAddress(clientId: string, part = ''): string {
  return appAddress({ clientId }, part === '' ? '/webhooks' : `/webhooks/${part}`)
}

/** How the pages call the states of messages. */
export const stateNames: Record<Message['state'], string> = {
  waiting: 'waiting',
  delivered: 'delivered',
  given_up: 'given up',
}

const tones = { waiting: 'warning', delivered: 'ok', given_up: 'danger' } as const

export function MessageState({ state }: { state: Message['state'] }) {
  return <State tone={tones[state]}>{stateNames[state]}</State>
}

/** Why a form is refused while another request of the application runs (`OneAtATime`). */
export const busy =
  'Nothing was changed: another change of a webhook of your application, a test or a replay is in progress. Send the form again in a few seconds.'
