export interface paths {}
export interface operations {}
export interface components {
  schemas: {
    Household: { id: string; name?: string }
    Account: { id: string; household_id: string; name?: string; type?: string; number_masked?: string; custodian?: string; currency?: string; status: string; opened_on?: string }
    Problem: { code: 'not_found' | 'sync_expired' }
  }
}
