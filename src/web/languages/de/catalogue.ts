import type { Catalogue } from '../en/catalogue.ts'
import { account } from './account.tsx'
import { connect } from './connect.tsx'
import { factors } from './factors.tsx'
import { general } from './general.ts'
import { login } from './login.tsx'
import { password } from './password.ts'

export const de: Catalogue = { ...general, ...login, ...connect, ...account, ...password, ...factors }
