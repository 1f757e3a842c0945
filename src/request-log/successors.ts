/** For each deprecated operation: its call below `{base_url}`, what to use instead, and the guide. By operationId. */
export const successors: Record<
  string,
  { call: string; successor: string; operation: string; guide: string }
> = {
  listHouseholds: {
    call: 'api/v1/households',
    successor: 'api/v2/households',
    operation: 'syncHouseholds',
    guide: 'paging-and-sync',
  },
}
