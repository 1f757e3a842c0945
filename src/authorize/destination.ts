import Type, { type Static } from 'typebox'

/** Where a form leads: on with a sealed request, or to a page of ours. No return address is ever read from a request. */
export const Destination = Type.Object({
  request: Type.Optional(Type.String()),
  page: Type.Optional(Type.Union([Type.Literal('sessions'), Type.Literal('password')])),
})
export type Destination = Static<typeof Destination>

export function nextPage({ request, page }: Destination): string {
  return request ? `/connect?${new URLSearchParams({ request })}` : `/${page ?? 'connections'}`
}
