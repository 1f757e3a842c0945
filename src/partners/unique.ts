/** Without repetitions, in the same order. */
export function unique(texts: string[]): string[] {
  return [...new Set(texts)]
}
