import type { FastifyInstance } from 'fastify'
import { errorPageAddress, type OAuthErrorCode, type ProblemCode } from '../errors/catalogue.ts'

const baseUrl = Symbol('base URL')

/** Tells the error edges the base of this deployment, so that each error can name its page. */
export function errorAddresses(app: FastifyInstance, config: { baseUrl: string }): void {
  app.decorate(baseUrl, config.baseUrl)
}

/** The address of the page of a code. `anchor`: a cause on it. */
export function errorAddress(
  app: FastifyInstance,
  code: ProblemCode | OAuthErrorCode,
  anchor?: string,
): string {
  return errorPageAddress(app.getDecorator<string>(baseUrl), code, anchor)
}
