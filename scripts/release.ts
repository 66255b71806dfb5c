/**
 * Prepares the checkout for publishing in the release workflow. Do not commit the result. Checks that the tag,
 * package.json, the lock file and the changelog agree, and prints the changelog section for the version. Makes the
 * links in the READMEs absolute, because the flow library shows the READMEs outside the repository, and the pictures
 * are not in the package.
 *
 *     GITHUB_REPOSITORY=owner/name GITHUB_SHA=commit npx tsx scripts/release.ts v1.2.3 > notes.md
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageJson, root } from '../test/support/package'

const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** @throws Error that says how to fix it */
function releaseNotes(tag: string): string {
  const { version } = packageJson
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json has ${version}.`)
  const locked = JSON.parse(read('package-lock.json')).version
  if (locked !== version) throw new Error(`package-lock.json has ${locked}: run npm install.`)
  const section = read('CHANGELOG.md')
    .split(/^## /m)
    .find((text) => text.startsWith(`${version} `))
  if (!section) throw new Error(`CHANGELOG.md has no section for ${version}.`)
  const [title = '', ...notes] = section.split('\n')
  if (title.includes('not released')) throw new Error(`CHANGELOG.md: replace "not released" with the date.`)
  return notes.join('\n').trim()
}

/** Makes the links to files of the repository absolute. Anchors and URLs stay unchanged. */
export function withAbsoluteLinks(text: string, repository: string, commit: string): string {
  const pages = `https://github.com/${repository}/blob/${commit}/`
  const files = `https://raw.githubusercontent.com/${repository}/${commit}/`
  return text.replace(
    /(!?)\[([^\]]*)\]\((?:<([^>]*)>|([^)\s]*))\)/g,
    (link, mark: string, words: string, spaced: string | undefined, plain: string | undefined) => {
      const target = spaced ?? plain ?? ''
      if (/^(?:[a-z]+:|#|$)/.test(target)) return link
      return `${mark}[${words}](${mark === '!' ? files : pages}${encodeURI(target)})`
    },
  )
}

function main(): void {
  const { GITHUB_REPOSITORY: repository, GITHUB_SHA: commit } = process.env
  if (!repository || !commit) throw new Error('GITHUB_REPOSITORY (owner/name) or GITHUB_SHA is not set.')
  console.log(releaseNotes(process.argv[2] ?? ''))
  for (const file of ['README.md', 'README.ja.md']) {
    writeFileSync(join(root, file), withAbsoluteLinks(read(file), repository, commit))
  }
}

if (require.main === module) main()
