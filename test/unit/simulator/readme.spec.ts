import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { startSimulator } from '../../../simulator'
import { helpText, readCommandLine } from '../../../simulator/cli-flags'
import { faultKinds } from '../../../simulator/faults/fault-plan'
import { eventKinds } from '../../../simulator/fleet/definition'
import { described } from '../../../simulator/variants'
import { codeIn, wordsOfCodeIn } from '../../support/documents'

describe('simulator: README', () => {
  const readme = readFileSync('simulator/README.md', 'utf8')
  const flags = [...helpText().matchAll(/^ {2}(?:-\w, | {4})(--[\w-]+)/gm)].map((match) => match[1] as string)

  it('names every flag, variant, fault and event', () => {
    assert.ok(flags.length > 10)
    const names = [...flags, ...Object.keys(described), ...faultKinds, ...eventKinds]
    assert.deepEqual(
      names.filter((name) => !readme.includes(`\`${name}`)),
      [],
    )
  })
})

describe('simulator: the commands in the documents', () => {
  const texts = ['simulator/README.md', 'docs/simulator.md'].map((file) => readFileSync(file, 'utf8'))
  const lines = texts.flatMap((text) => [
    ...codeIn(text).flatMap((code) => code.text.replace(/\\\n\s*/g, '').split('\n')),
    ...wordsOfCodeIn(text),
  ])
  const fleet = JSON.parse(texts.flatMap(codeIn).find(({ language }) => language === 'json')?.text ?? '')

  it('start it', () => {
    const commands = lines.filter((line) => line.startsWith('npx envlog-simulator'))
    assert.ok(commands.length > 10)
    for (const command of commands) {
      // One of our reports replaces the reader's own.
      const own = 'test/fixtures/reports/as-observed.json'
      const args = command
        .replace(/(?<=--replay )\S+/, own)
        .split(' ')
        .slice(2)
      // The fleet's file is the reader's own too; its format is tested below.
      assert.doesNotThrow(
        () => readCommandLine(args.filter((arg) => !/fleet|devices\.json/.test(arg))),
        command,
      )
    }
  })

  it('contain a fleet that it accepts', async () => {
    const simulator = await startSimulator({ fleet })
    const devices = simulator.truth.devices().map(({ serial }) => serial)
    await simulator.close()
    assert.deepEqual(
      devices,
      fleet.map(({ serial }: { serial: string }) => serial),
    )
  })

  it('are answered by its control address', async () => {
    const simulator = await startSimulator()
    const commands = lines.filter((line) => line.startsWith('curl '))
    assert.ok(commands.length > 5)
    for (const command of commands) {
      const [, address = ''] = /(http:[^\s']+)/.exec(command) ?? []
      const [, method = 'GET'] = /-X (\w+)/.exec(command) ?? []
      const [, body] = /-d '([^']*)'/.exec(command) ?? []
      const headers = { 'Content-Type': 'application/json' }
      const url = address.replace('http://127.0.0.1:8745', simulator.url)
      const response = await fetch(url, { method, headers, ...(body && { body }) })
      assert.equal(response.status, 200, command)
    }
    await simulator.close()
  })
})
