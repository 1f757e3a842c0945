import { expect, test, vi } from 'vitest'
import { commandOrigin } from '../../src/audit/origin.ts'

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  userInfo: () => {
    throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT')
  },
}))

test('a command in a container whose user has no name is recorded with the number of the user', () => {
  expect(commandOrigin()).toMatchObject({ actor: { kind: 'os_user', id: `uid ${process.getuid?.()}` } })
})
