/**
 * What an answer showed. `json` is its part with the households: equal texts have equal households. `ids` reads them from it.
 */
export type ShownHouseholds = { json: string; ids(json: string): string[] }
