import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The shell blocks of a page that a test runs as a reader would. Before such a block is a comment with the name of the test
 * and a mark, for example `<!-- readme.test: run -->`.
 * @returns a function that gives the blocks with one mark
 */
export function shellBlocks(page: string, test: string): (mark: string) => string[] {
  const text = readFileSync(join(root, page), 'utf8')
  const found = [...text.matchAll(/<!-- (\S+): (\S+) -->\n```sh\n([\s\S]*?)```/g)]
  return (mark) =>
    found
      .filter(([, ofTest, ofMark]) => ofTest === test && ofMark === mark)
      .map(([, , , commands]) => commands ?? '')
}
