import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { repositoryUrls, withAbsoluteLinks } from '../../../scripts/absolute-links'
import { type Cause, reasons } from '../../../src/lib/errors'
import { ACTION_TYPES, type ActionType } from '../../../src/shared/action'
import { OFFERED, OUTPUTS } from '../../../src/shared/outputs'
import { isLimits, LIMITS, type LimitRow } from '../../../src/shared/service-limits'
import { catalogOf, defaultsOf, definitionOf, nodes } from '../../support/built'
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
import { packageJson, root } from '../../support/package'

const README = 'README.md'
const README_JA = 'README.ja.md'
const PICTURE_BYTES = 80_000

/** A document and its Japanese version; the READMEs have different names. */
const TWINS: readonly (readonly [english: string, japanese: string])[] = [
  [README, README_JA],
  ['examples/README.md', 'examples/README.ja.md'],
  ...readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => [join('docs', file), join('docs', 'ja', file)] as const),
]

const isAddress = (target: string) => /^[a-z]+:/.test(target)
const sorted = (words: Iterable<string>) => [...words].toSorted()

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

  it('contain no local path, and only addresses of this machine or well-known ones', () => {
    const known = /^(?:127\.0\.0\.1|localhost|host|nodered\.org|semver\.org|service\.example)$/
    for (const file of documents) {
      const text = read(file)
      assert.doesNotMatch(text, /(?:^|[\s`(])\/(?:home|Users|tmp|work)\//m, file)
      const hosts = [...text.matchAll(/\b(?:https?|mqtts?|rediss?):\/\/([^\s/:`)>"…]+)/g)]
      assert.deepEqual(
        hosts.map(([, host = '']) => host).filter((host) => !known.test(host)),
        [],
        file,
      )
    }
  })

  it('have small pictures with alternative texts, and no unused ones', () => {
    const folder = 'docs/images'
    const shown = documents.flatMap((file) =>
      linksIn(read(file))
        .filter(({ isPicture }) => isPicture)
        .map(({ target, text }) => ({ path: join(dirname(file), target), text })),
    )
    for (const { path, text } of shown) {
      assert.ok(text.length > 10, path)
      assert.ok(statSync(join(root, path)).size < PICTURE_BYTES, path)
    }
    const files = readdirSync(join(root, folder)).map((file) => join(folder, file))
    assert.deepEqual(sorted(files), sorted(new Set(shown.map(({ path }) => path))))
  })
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
      inBoth((text) => codeIn(text))
      inBoth((text) => sorted(new Set(wordsOfCodeIn(text))))
    })

    it('have the same tables', () => {
      inBoth((text) => tablesIn(text).map((table) => table.map((row) => row.length)))
    })

    it('name the same numbers', () => {
      // Small numbers may be words; thousands, bounds and versions are digits.
      inBoth((text) => sorted(new Set(text.match(/\d[\d,.]*\d{2,}/g))))
    })

    it('have the same links in each section, each in its language', () => {
      const isTwin = (file: string) => [english, japanese].includes(file)
      inBoth((text, file) =>
        text.split(/^## /m).map((part) =>
          sorted(
            linksIn(part)
              .map(({ target }) => target.split('#')[0] ?? '')
              .filter((target) => target !== '')
              .map((target) => (isAddress(target) ? target : join(dirname(file), decodeURIComponent(target))))
              .filter((target) => !isTwin(target))
              .map(
                (target) =>
                  TWINS.find(([, ja]) => ja === target)?.[0] ??
                  target.replace(/\.ja\.(png|webp)$/, '.en-US.$1'),
              ),
          ),
        ),
      )
    })

    it('link to pages of their own language if there is one', () => {
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
    it(`${file} breaks no line within a paragraph, where GitHub would show a blank`, () => {
      assert.deepEqual(brokenLinesIn(read(file)), [])
    })
  }
})

describe('the two READMEs', () => {
  const english = read(README)
  const japanese = read(README_JA)

  it('name commands that exist', () => {
    const { scripts, bin } = packageJson as unknown as Record<'scripts' | 'bin', Record<string, string>>
    const npmOwn = ['audit', 'ci', 'install', 'pack', 'publish', 'start', 'test', 'version']
    for (const file of [README, README_JA, 'CONTRIBUTING.md', 'docs/simulator.md', 'docs/quota.md']) {
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

  it('have absolute links when they are published', () => {
    const places = repositoryUrls('owner/name', 'v1')
    for (const text of [english, japanese]) {
      const before = linksIn(text)
      const after = linksIn(withAbsoluteLinks(text, places))
      assert.equal(after.length, before.length)
      for (const [index, { target, isPicture }] of after.entries()) {
        const { target: was = '' } = before[index] ?? {}
        if (isAddress(was)) assert.equal(target, was)
        else assert.equal(decodeURI(target), (isPicture ? places.files : places.pages) + was)
        assert.doesNotMatch(target, /\s/)
      }
    }
  })

  for (const file of [README, README_JA, 'examples/README.md', 'examples/README.ja.md']) {
    it(`${file} lists each example once`, () => {
      const flows = readdirSync(join(root, 'examples'), { recursive: true })
        .map((path) => join('examples', String(path)))
        .filter((path) => path.endsWith('.json'))
      const links = linksIn(read(file)).filter(({ target }) => target.endsWith('.json'))
      assert.deepEqual(sorted(links.map(({ target }) => join(dirname(file), target))), sorted(flows))
      for (const { target, text } of links) assert.ok(target.endsWith(`/${text}.json`), text)
    })
  }
})

describe('the contracts', () => {
  const codes = sorted(new Set(Object.values(reasons)))

  for (const file of ['docs/errors.md', 'docs/ja/errors.md', README, README_JA]) {
    it(`${file} lists each code once, with what to do`, () => {
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

  it('docs/errors.md shows an error with all that one can have', () => {
    const cause: Required<Cause> = {
      status: 1,
      serviceCode: 1,
      endpoint: '',
      serial: '',
      base: '',
      group: '',
      retryAt: '',
    }
    const [sample] = codeIn(read('docs/errors.md')).map(({ text }) => JSON.parse(text))
    // Catch nodes add `source`, and copy own properties.
    assert.deepEqual(sorted(Object.keys(sample)), ['cause', 'code', 'message'])
    assert.deepEqual(sorted(Object.keys(sample.cause)), sorted(Object.keys(cause)))
    assert.ok(sample.message.startsWith(`${sample.code}: `))
  })

  it('docs/quota.md shows valid limits', () => {
    const samples = wordsOfCodeIn(read('docs/quota.md')).filter((word) => word.startsWith('{'))
    assert.ok(samples.length > 0)
    for (const sample of samples) assert.ok(isLimits(sample), sample)
  })

  for (const { file, language, every, four, blank } of [
    {
      file: 'docs/nodes.md',
      language: 'en-US',
      every: 'Every node',
      four: 'All four nodes',
      blank: ['blank', 'required'],
    },
    {
      file: 'docs/ja/nodes.md',
      language: 'ja',
      every: 'すべてのノード',
      four: '4 つのノードに共通',
      blank: ['空欄', '必須'],
    },
  ]) {
    describe(file, () => {
      const text = read(file)
      const written = (section: string) =>
        tableRows(sectionOf(text, section)).filter((row) => row.length === 4)

      /** The values as in the tables. */
      function shown(value: unknown): readonly string[] {
        if (value === '') return blank
        return [`\`${typeof value === 'string' ? value : JSON.stringify(value)}\``]
      }

      for (const node of nodes) {
        const { type, name: short } = node
        const catalog = catalogOf(language)
        /** The label of a property in the form; some have none. */
        const labelOf = (property: string) =>
          catalog.get(`label.${property}`) ?? catalog.get(`${short}.${property}`) ?? ''

        it(`lists exactly the saved properties of ${type}, with the form's labels and defaults`, () => {
          const isAction = (ACTION_TYPES as readonly string[]).includes(type)
          const sections = [every, ...(isAction ? [four] : []), type]
          const rows = sections.flatMap(written)
          const defaults = defaultsOf(type)
          assert.deepEqual(sorted(rows.map(([name = '']) => uncoded(name))), sorted(Object.keys(defaults)))
          for (const [name = '', label = '', , value = ''] of rows) {
            assert.equal(label, labelOf(uncoded(name)), name)
            assert.ok(shown(defaults[uncoded(name)]).includes(value), `${name}: ${value}`)
          }
        })
      }

      it('lists the credentials', () => {
        const rows = tableRows(sectionOf(text, 'envlog-account')).filter((row) => row.length === 3)
        const { credentials = {} } = definitionOf('envlog-account')
        assert.deepEqual(sorted(rows.map(([name = '']) => uncoded(name))), sorted(Object.keys(credentials)))
        for (const [name = '', label] of rows) {
          assert.equal(label, catalogOf(language).get(`account.${uncoded(name)}`), name)
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

  it('use only flags that the simulator has', () => {
    const reference = read('simulator/README.md')
    const used = ['docs/simulator.md', README].flatMap(
      (file) => read(file).match(/(?<=\s)--[a-z][\w-]+/g) ?? [],
    )
    const npmFlags = ['--cache', '--offline', '--prefix']
    assert.deepEqual(
      used.filter((flag) => !npmFlags.includes(flag) && !reference.includes(`| \`${flag}`)),
      [],
    )
  })
})
