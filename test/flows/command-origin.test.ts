import os from 'node:os'
import { expect, test, vi } from 'vitest'
import { commandOrigin } from '../../src/audit/origin.ts'

test('a command in a container whose user has no name is recorded with the number of the user', () => {
  const userInfo = vi.spyOn(os, 'userInfo').mockImplementation(() => {
    throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT')
  })
  const { actor } = commandOrigin()
  userInfo.mockRestore()
  expect(actor).toEqual({ kind: 'os_user', id: `uid ${process.getuid?.()}` })
})
