/**
 * The positions of a flow's nodes in the editor, computed like Node-RED, also with wider letters than in its own font.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { catalogIn, catalogOf, type Definition, definitionsIn, nodes, script, scriptsOf } from './built'

export interface PlacedNode {
  id: string
  type: string
  name?: string
  z?: string
  g?: string
  x?: number
  y?: number
  w?: number
  h?: number
  l?: boolean
  wires?: string[][]
}

export interface Box {
  id: string
  name: string
  left: number
  right: number
  top: number
  bottom: number
}

/** Widths of `!` to `~` in Arial and Helvetica, in thousandths of the font size. */
const WIDTHS = [
  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500,
  667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
  333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278,
  556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
]
const SPACE = 278
/** Width of non-ASCII characters. */
const FULL = 1000

const FONT_SIZE = 14
const MIN_WIDTH = 100
const HEIGHT = 30
/** How far the button of an inject or debug node protrudes. */
const BUTTON = 26

const LINKS = ['link in', 'link out']
/** Parts of a workspace that are not nodes. */
const OTHERS = ['tab', 'group', 'junction']

/** @param widen how much wider than Arial the font is */
export function textWidth(text: string, widen = 1): number {
  const widths = [...text].map((char) =>
    char === ' ' ? SPACE : (WIDTHS[(char.codePointAt(0) ?? 0) - 33] ?? FULL),
  )
  return (widths.reduce((sum, width) => sum + width, 0) * FONT_SIZE * widen) / 1000
}

const nodeRed = createRequire(createRequire(__filename).resolve('node-red'))
const coreFolder = dirname(nodeRed.resolve('@node-red/nodes/package.json'))

/** Core nodes' definitions, from the html of Node-RED's editor. */
export function coreDefinitions(): Map<string, Definition> {
  const core = join(coreFolder, 'core')
  const pages = readdirSync(core, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.html'))
  const scripts = pages.flatMap((page) => scriptsOf(readFileSync(join(core, page), 'utf8')))
  return definitionsIn(scripts.filter(({ kind }) => kind === 'text/javascript').map(({ body }) => body))
}

type Label = (node: PlacedNode) => string

/** The labels of nodes in the editor, in a language. Nodes of other packages need a name. */
export function labelsIn(language: string): Label {
  const core = coreDefinitions()
  const own = definitionsIn([script])
  const ours = new Set(nodes.map(({ type }) => type))
  const messages = catalogIn(join(coreFolder, 'locales', language, 'messages.json'))
  const catalog = catalogOf(language)
  return (node) => {
    const definition = own.get(node.type) ?? core.get(node.type)
    const texts = ours.has(node.type) ? catalog : messages
    const translate = (key: string) => texts.get(key.replace(/^[\w-]+:/, '')) ?? key
    const { label } = (definition ?? {}) as { label?: string | ((this: object) => string) }
    const shown = typeof label === 'function' ? label.call({ ...node, _: translate }) : label
    return String(shown || node.name || node.type)
  }
}

export function boxOf(node: PlacedNode, labelOf: Label, widen = 1): Box {
  const isBare = LINKS.includes(node.type) && !node.l
  const label = labelOf(node)
  const width = isBare ? HEIGHT : Math.max(MIN_WIDTH, 20 * Math.ceil((textWidth(label, widen) + 57) / 20))
  const height = Math.max(HEIGHT, (node.wires?.length ?? 0) * 15)
  const [x = 0, y = 0] = [node.x, node.y]
  const buttons = { left: node.type === 'inject' ? BUTTON : 0, right: node.type === 'debug' ? BUTTON : 0 }
  return {
    id: node.id,
    name: label,
    left: x - width / 2 - buttons.left,
    right: x + width / 2 + buttons.right,
    top: y - height / 2,
    bottom: y + height / 2,
  }
}

export const isPlaced = ({ type, z, x }: PlacedNode): boolean =>
  z !== undefined && x !== undefined && !OTHERS.includes(type)

/** @returns the problems, one sentence each */
export function faultsOf(flow: readonly PlacedNode[], labelOf: Label, widen: number): string[] {
  return flow.filter(({ type }) => type === 'tab').flatMap(({ id }) => faultsOfTab(flow, id, labelOf, widen))
}

function faultsOfTab(all: readonly PlacedNode[], tab: string, labelOf: Label, widen: number): string[] {
  const flow = all.filter(({ z }) => z === tab)
  const placed = flow.filter(isPlaced).map((node) => ({ ...node, box: boxOf(node, labelOf, widen) }))
  const groups = flow
    .filter(({ type }) => type === 'group')
    .map((group) => ({ ...group, box: frameOf(group) }))
  const outside = [...placed, ...groups].filter(({ box }) => box.left < 0 || box.top < 0)
  return [
    ...outside.map(({ box }) => `${box.name} is outside the canvas`),
    ...pairs(placed).flatMap(([one, other]) => overlap(one.box, other.box)),
    ...pairs(groups).flatMap(([one, other]) => overlap(one.box, other.box)),
    ...groups.flatMap((group) =>
      placed.flatMap(({ g, box }) =>
        g === group.id
          ? isWithin(box, group.box)
            ? []
            : [`${box.name} leaves its group`]
          : overlap(box, group.box),
      ),
    ),
    ...groups.flatMap(({ name = '', w = 0 }) =>
      textWidth(name, widen) + 20 > w ? [`the title of the group ${name} is too long`] : [],
    ),
  ]
}

const frameOf = ({ id, name = '', x = 0, y = 0, w = 0, h = 0 }: PlacedNode): Box => ({
  id,
  name: `the group ${name}`,
  left: x,
  right: x + w,
  top: y,
  bottom: y + h,
})

const pairs = <T>(all: readonly T[]): [T, T][] =>
  all.flatMap((one, at) => all.slice(at + 1).map((other): [T, T] => [one, other]))

/** Half of a port protrudes on each side. */
const PORT = 5

const overlap = (one: Box, other: Box): string[] =>
  one.left < other.right + 2 * PORT &&
  other.left < one.right + 2 * PORT &&
  one.top < other.bottom &&
  other.top < one.bottom
    ? [`${one.name} and ${other.name} overlap`]
    : []

const isWithin = (box: Box, frame: Box): boolean =>
  box.left - PORT >= frame.left &&
  box.right + PORT <= frame.right &&
  box.top >= frame.top &&
  box.bottom <= frame.bottom
