/**
 * Makes the links of the READMEs absolute, in place: npm and the flow library show them outside the repository, and the
 * pictures are not in the package. Only for the checkout that is published; do not commit the result.
 *
 *     GITHUB_REPOSITORY=owner/name GITHUB_SHA=commit npx tsx scripts/publish-readme.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { repositoryUrls, withAbsoluteLinks } from './absolute-links'

const { GITHUB_REPOSITORY: repository, GITHUB_SHA: commit } = process.env
if (!repository || !commit) {
  console.error('GITHUB_REPOSITORY (owner/name) and GITHUB_SHA say where the links lead.')
  process.exitCode = 2
} else {
  for (const file of ['README.md', 'README.ja.md']) {
    const path = join(dirname(__dirname), file)
    writeFileSync(path, withAbsoluteLinks(readFileSync(path, 'utf8'), repositoryUrls(repository, commit)))
  }
}
