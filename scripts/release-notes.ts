/**
 * Prints the changelog's section of a version: `tsx scripts/release-notes.ts v1.2.3`. Fails if tag, package.json, lock
 * file and changelog do not agree, or if the changelog calls the version not released.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageJson, root } from '../test/support/package'

/** @throws Error that says what to do */
export function releaseNotes(tag: string, version: string, locked: string, changelog: string): string {
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, package.json says ${version}.`)
  if (locked !== version) throw new Error(`package-lock.json says ${locked}: run npm install.`)
  const [, ...sections] = changelog.split(/^## /m)
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version)
  if (!section) throw new Error(`CHANGELOG.md has no section of ${version}.`)
  const [title = '', ...notes] = section.split('\n')
  if (title.includes('not released')) throw new Error(`CHANGELOG.md says that ${title}: put the date there.`)
  const text = notes.join('\n').trim()
  if (!text) throw new Error(`CHANGELOG.md says nothing of ${version}.`)
  return `${text}\n`
}

if (require.main === module) {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const locked = JSON.parse(read('package-lock.json')).version
  const [tag = ''] = process.argv.slice(2)
  process.stdout.write(releaseNotes(tag, packageJson.version, locked, read('CHANGELOG.md')))
}
