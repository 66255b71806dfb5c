import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withAbsoluteLinks } from '../../../scripts/release'
import { createAlarmsSamples } from '../../../scripts/samples'
import { schemas } from '../../../scripts/schemas'
import { settingsPages, withSettings } from '../../../scripts/settings-tables'
import { type Cause, reasons } from '../../../src/lib/errors'
import { credentialsSchema } from '../../../src/shared/account-schema'
import type { ActionType } from '../../../src/shared/action'
import { actionSchemas } from '../../../src/shared/action-schemas'
import { repairLimit } from '../../../src/shared/limits-schema'
import { OFFERED, OUTPUTS } from '../../../src/shared/outputs'
import type { Problem } from '../../../src/shared/problems'
import { findProblem, type Schema } from '../../../src/shared/schema'
import { LIMITS, type LimitRow } from '../../../src/shared/service-limits'
import {
  anchorsIn,
  brokenLinesIn,
  codeIn,
  documents,
  headingsIn,
  linksIn,
  read,
  sectionOf,
  tableRows,
  tablesIn,
  uncoded,
  wordsOfCodeIn,
} from '../../support/documents'
import { exampleNames, neededBy } from '../../support/examples'
import { packageJson, root } from '../../support/package'
import { OVERRIDES, testedVersionOf } from '../../support/palette'

const README = 'README.md'
const README_JA = 'README.ja.md'

/** A document and its Japanese version; the READMEs have different names. */
const TWINS: readonly (readonly [english: string, japanese: string])[] = [
  [README, README_JA],
  ['examples/README.md', 'examples/README.ja.md'],
  ...readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => [join('docs', file), join('docs', 'ja', file)] as const),
]

/** Names and texts in samples, which are translated. */
const TRANSLATED = /"(name|label|group|groupname|message|text)": "[^"]*"/g

const isAddress = (target: string) => /^[a-z]+:/.test(target)
const sorted = (words: Iterable<string>) => [...words].toSorted()

const numbersIn = (text: string): string[] => text.match(/\d+(?:,\d{3})*/g) ?? []

/** Whether the meaning of a setting contains its allowed values. */
function assertAllowedValues(schema: Schema, name: string, meaning: string): void {
  const { problem, least = 0, most = 0, choices = '' } = problemOf(schema, name)
  if (['whole', 'seconds', 'minutes'].includes(String(problem)) && name !== 'version')
    for (const bound of [least, most])
      assert.ok(numbersIn(meaning).includes(bound.toLocaleString('en-US')), `${name}: ${bound}`)
  // `output` and `send` have a separate table.
  if (problem !== 'choice' || linksIn(meaning).length > 0) return
  const said = wordsOfCodeIn(meaning)
  if (said.includes('fromType')) return
  for (const word of String(choices).split(', ')) assert.ok(said.includes(word), `${name}: ${word}`)
}

describe('the documents', () => {
  for (const file of documents) {
    it(`${file} has no broken links`, () => {
      for (const { target } of linksIn(read(file)).filter((link) => !isAddress(link.target))) {
        const [path = '', anchor] = target.split('#')
        const linked = path === '' ? file : join(dirname(file), decodeURIComponent(path))
        assert.ok(existsSync(join(root, linked)), target)
        if (anchor !== undefined) assert.ok(anchorsIn(read(linked)).includes(anchor), target)
      }
    })

    it(`${file} has only valid JSON`, () => {
      const blocks = codeIn(read(file)).filter(({ language }) => language === 'json')
      const words = wordsOfCodeIn(read(file)).filter((word) => /^\{"/.test(word))
      for (const text of [...blocks.map((block) => block.text), ...words]) {
        assert.doesNotThrow(() => JSON.parse(text), text)
      }
    })
  }
})

for (const [english, japanese] of TWINS) {
  describe(`${english} and ${japanese}`, () => {
    const texts = [read(english), read(japanese)] as const
    const inBoth = (what: (text: string, file: string) => unknown) => {
      const [one, other] = texts
      assert.deepEqual(what(other, japanese), what(one, english))
    }

    it('have the same headings in the same order', () => {
      inBoth((text) => headingsIn(text).map(({ level }) => level))
    })

    it('have the same code, and name the same properties, values and commands', () => {
      inBoth((text) => codeIn(text).map((code) => ({ ...code, text: code.text.replace(TRANSLATED, '"$1"') })))
      inBoth((text) => sorted(new Set(wordsOfCodeIn(text))))
    })

    it('have the same tables', () => {
      inBoth((text) => tablesIn(text).map((table) => table.map((row) => row.length)))
    })

    it('link to pages in their own language if these exist', () => {
      const own = linksIn(texts[1])
        .filter(({ target }) => !isAddress(target))
        .map(({ target }) => join(dirname(japanese), target.split('#')[0] ?? ''))
      assert.deepEqual(
        own.filter((target) => target !== english && TWINS.some(([en]) => en === target)),
        [],
      )
    })
  })
}

describe('the Japanese documents', () => {
  for (const [, file] of TWINS) {
    it(`${file} breaks no line within a paragraph, because GitHub would show a blank`, () => {
      assert.deepEqual(brokenLinesIn(read(file)), [])
    })
  }
})

describe('the documents for contributors', () => {
  const files = ['src', 'scripts', 'test', 'simulator', 'demo'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((path) =>
      `/${folder}/${path}`.replaceAll('\\', '/'),
    ),
  )

  for (const document of ['CONTRIBUTING.md', 'src/README.md']) {
    it(`${document} names only files that exist`, () => {
      const named = wordsOfCodeIn(read(document)).filter((word) => /^(?!dist)[\w./-]+\.ts$/.test(word))
      assert.ok(named.length > 5)
      assert.deepEqual(
        named.filter((name) => !files.some((file) => file.endsWith(`/${name}`))),
        [],
      )
    })
  }
})

describe('the two READMEs', () => {
  const english = read(README)
  const japanese = read(README_JA)

  it('name commands that exist', () => {
    const { scripts, bin } = packageJson as unknown as Record<'scripts' | 'bin', Record<string, string>>
    const npmOwn = ['audit', 'ci', 'install', 'pack', 'publish', 'start', 'test', 'version']
    for (const file of [README, README_JA, 'CONTRIBUTING.md', 'docs/simulator.md', 'docs/shared-quota.md']) {
      const text = read(file)
      const commands = [...codeIn(text).map((code) => code.text), ...wordsOfCodeIn(text)].join('\n')
      for (const [, run, name = ''] of commands.matchAll(/\bnpm (run )?(?:-[\w-]+ )*([\w:][\w:-]*)/g)) {
        assert.ok(name in scripts || (run === undefined && npmOwn.includes(name)), `${file}: npm ${name}`)
      }
      for (const [, name = ''] of commands.matchAll(/\bnpx (?:-p \S+ )?(envlog\S*)/g))
        assert.ok(name in bin, name)
      for (const [, path = ''] of commands.matchAll(/\bnpx tsx (\S+)/g))
        assert.ok(existsSync(join(root, path)), path)
    }
  })

  it('state the oldest Node.js and Node-RED in package.json', () => {
    const ranges = [packageJson.engines.node, packageJson['node-red'].version]
    const oldest = ranges.map((range) => range.replace(/^>=|\.0$/g, ''))
    for (const text of [english, japanese])
      for (const version of oldest) assert.ok(text.includes(version), version)
  })

  it('name the versions of Node.js that are tested, as docs/versions.md does', () => {
    const versionsIn = (text: string) => (text.match(/\b[24]\d\b(?!\.)/g) ?? []).map(Number)
    const [, matrix = ''] = /^ +node: \[(.*)\]$/m.exec(read('.github/workflows/test.yml')) ?? []
    const tested = versionsIn(matrix)
    const [rows = []] = tablesIn(sectionOf(read('docs/versions.md'), 'Supported versions'))
    const supported = rows.flatMap(([, nodes = '']) => versionsIn(nodes.replace(/\(.*?\)/g, '')))
    assert.deepEqual([...new Set(supported)], tested)
    for (const text of [english, japanese]) {
      const [line = ''] = /^Node-RED 4\.1 .*Node\.js.*/m.exec(text) ?? []
      assert.deepEqual([...new Set(versionsIn(line.replace(/[(（].*?[)）]/g, '')))], tested)
    }
  })

  it('have absolute links when published', () => {
    const text = '[a](docs/a.md#b) ![c](c.png) [d](#d) [e](https://service.example) [f](<f g.json>)'
    const pages = 'https://github.com/owner/name/blob/v1'
    assert.equal(
      withAbsoluteLinks(text, 'owner/name', 'v1'),
      `[a](${pages}/docs/a.md#b) ![c](https://raw.githubusercontent.com/owner/name/v1/c.png) [d](#d) [e](https://service.example) [f](${pages}/f%20g.json)`,
    )
  })

  for (const file of ['docs/connections.md', 'docs/ja/connections.md']) {
    it(`${file} is about each package that an example needs, in the version that was tested`, () => {
      const packages = new Set(exampleNames.flatMap((name) => neededBy(name) ?? []))
      for (const name of packages)
        assert.ok(read(file).includes(`\`${name}\` ${testedVersionOf(name)}`), name)
    })
  }

  for (const file of ['examples/README.md', 'examples/README.ja.md']) {
    it(`${file} lists each example once`, () => {
      const flows = readdirSync(join(root, 'examples'), { recursive: true })
        .map((path) => join('examples', String(path)))
        .filter((path) => path.endsWith('.json'))
      const links = linksIn(read(file)).filter(({ target }) => target.endsWith('.json'))
      assert.deepEqual(sorted(links.map(({ target }) => join(dirname(file), target))), sorted(flows))
      for (const { target, text } of links) assert.ok(target.endsWith(`/${text}.json`), text)
    })

    it(`${file} has the override with which the packages were installed`, () => {
      const [wanted] = Object.entries(OVERRIDES).map(([name, by]) => `"overrides": {"${name}": "${by}"}`)
      assert.ok(read(file).includes(String(wanted)), wanted)
    })

    it(`${file} names the package that each example needs`, () => {
      for (const [, example = '', needs = ''] of tableRows(read(file)))
        for (const { target } of linksIn(example)) {
          const named = wordsOfCodeIn(needs)
          assert.deepEqual(named, [neededBy(target) ?? []].flat(), target)
        }
    })
  }
})

const ACTIONS = Object.keys(actionSchemas) as ActionType[]
/** The first header of a table with properties. */
const PROPERTY = /^(?:property|プロパティ)$/
/** The nodes that each table with properties is about. */
const NODES_OF_TABLES: readonly (readonly (keyof typeof schemas)[])[] = [
  ACTIONS,
  ['envlog-account'],
  ACTIONS,
  [...ACTIONS, 'envlog-report'],
  ['envlog-limits'],
  ['envlog-alarms'],
  ['envlog-report'],
]

/** Whether the row of a property states the values that the schemas of its nodes allow. */
function assertRow(types: readonly (keyof typeof schemas)[], [name = '', ...cells]: readonly string[]): void {
  for (const type of types)
    if (uncoded(name) in schemas[type].shape)
      assertAllowedValues(schemas[type], uncoded(name), cells.at(-2) ?? '')
}

/** The bounds or choices that a schema allows. */
const problemOf = (schema: Schema, property: string): Partial<Problem> =>
  findProblem(schema, property, '?') ?? {}

describe('the contracts', () => {
  const codes = sorted(new Set(Object.values(reasons)))

  for (const file of ['docs/errors.md', 'docs/ja/errors.md']) {
    it(`${file} lists each code once, with a remedy`, () => {
      const rows = tableRows(read(file)).filter(([first = '']) => /^`ENVLOG_/.test(first))
      assert.deepEqual(sorted(rows.map(([code = '']) => uncoded(code))), codes)
    })

    it(`${file} lists no other code`, () => {
      const named = read(file).match(/ENVLOG_[A-Z]+/g) ?? []
      assert.deepEqual(
        named.filter((code) => !(codes as string[]).includes(code)),
        [],
      )
    })
  }

  it('the example of all errors has an output for each code', () => {
    const example = readFileSync(join(root, 'examples/Operation/all errors in one place.json'), 'utf8')
    assert.deepEqual(sorted(new Set(example.match(/(?<="v": ")ENVLOG_[A-Z]+/g))), codes)
  })

  it('docs/errors.md shows an error with all possible properties', () => {
    const cause: Required<Cause> = {
      status: 1,
      serviceCode: 1,
      endpoint: '',
      serial: '',
      base: '',
      group: '',
      retryAt: '',
    }
    const sample = JSON.parse(codeIn(read('docs/errors.md'))[0]?.text ?? '')
    // Catch nodes add `source`, and copy own properties.
    assert.deepEqual(sorted(Object.keys(sample)), ['cause', 'code', 'message'])
    assert.deepEqual(sorted(Object.keys(sample.cause)), sorted(Object.keys(cause)))
    assert.match(sample.message, new RegExp(`^.+ \\(${sample.cause.serial}\\): `), 'begins with the device')
  })

  for (const { file, language } of settingsPages) {
    describe(file, () => {
      const text = read(file)

      it('has the settings that scripts/complete.ts writes', () => {
        assert.equal(text, withSettings(text, language))
      })

      it('states the allowed values: bounds of numbers, and choices', () => {
        const tables = tablesIn(text).filter(([header]) => PROPERTY.test(header?.[0] ?? ''))
        assert.equal(tables.length, NODES_OF_TABLES.length)
        for (const [index, types] of NODES_OF_TABLES.entries())
          for (const row of tables[index]?.slice(1) ?? []) assertRow(types, row)
      })

      it('states the length of each credential', () => {
        const rows = tableRows(sectionOf(text, 'envlog-account')).filter((row) => row.length === 3)
        for (const [name = '', , meaning = ''] of rows) {
          const { least = '', most = '' } = problemOf(credentialsSchema, uncoded(name))
          assert.ok(meaning.includes(`${least}`) && meaning.includes(`${most}`), name)
        }
      })
    })
  }

  it('docs/messages.md lists what each node can send, the default first', () => {
    const section = sectionOf(read('docs/messages.md'), 'Output and send')
    const [header = [], ...rows] = tablesIn(section).find(([first]) => first?.length === 5) ?? []
    assert.deepEqual(
      rows.map(([output = '']) => uncoded(output)),
      [...OUTPUTS],
    )
    for (const [output = '', ...cells] of rows) {
      for (const [index, cell] of cells.entries()) {
        const offered = OFFERED[`envlog-${header[index + 1]}` as ActionType]
        const sends = offered[uncoded(output) as keyof typeof offered] ?? []
        assert.deepEqual(wordsOfCodeIn(cell), [...sends], `${output} ${header[index + 1]}`)
      }
    }
  })

  for (const [file, heading] of [
    ['docs/limits.md', 'Limits'],
    ['docs/ja/limits.md', 'しきい値の行'],
  ] as const) {
    it(`${file} lists exactly the properties of a limit`, () => {
      const names = tableRows(sectionOf(read(file), heading)).map(([name = '']) => uncoded(name))
      assert.deepEqual(names, Object.keys(repairLimit({})))
    })
  }

  it('docs/limits.md shows an event as it is sent, and explains all its keys', () => {
    const text = sectionOf(read('docs/limits.md'), 'Events')
    const [sample] = codeIn(text).map((code) => JSON.parse(code.text))
    const { payload } = createAlarmsSamples('en-US')['envlog-alarms event each en-US'] as { payload: object }
    assert.deepEqual(sample, payload)
    assert.deepEqual(
      tableRows(text).flatMap(([keys = '']) => wordsOfCodeIn(keys)),
      Object.keys(payload),
    )
  })

  it('docs/quota.md has the default limits', () => {
    const documented = new Map<string, LimitRow>()
    const number = (digits = '') => Number(digits.replace(/,/g, ''))
    for (const [endpoints = '', requests = '', records = ''] of tableRows(read('docs/quota.md'))) {
      const [, limit, minutes] = /^([\d,]+) in (?:(\d+) minutes?|an hour)/.exec(requests) ?? []
      if (limit === undefined) continue
      const row: LimitRow = { limit: number(limit), window: 60 * number(minutes ?? '60') }
      const [, most] = /^([\d,]+) in an hour$/.exec(records) ?? []
      if (most !== undefined) Object.assign(row, { records: number(most), recordsWindow: 3600 })
      for (const endpoint of wordsOfCodeIn(endpoints)) documented.set(endpoint, row)
    }
    assert.deepEqual(Object.fromEntries(documented), LIMITS)
  })
})
