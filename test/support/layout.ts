/** The layout of a flow in the editor, with a font that is a fifth wider than usual. */
import type { FlowNode } from './node-red'

const FONT_PX = 14
const WIDER = 1.2
const HEIGHT = 30
/** Of each output beyond the second. */
const PORT = 15
/** An inject node has its button on the left, a debug node on the right. */
const BUTTON = 26
/** Distance of the ports of two nodes, so that the wire between them can be seen. */
const WIRE = 10

interface Area {
  left: number
  right: number
  top: number
  bottom: number
}

/** Widths of characters in sans-serif fonts, in em. All others are square. */
const WIDTHS: readonly (readonly [characters: RegExp, em: number])[] = [
  [/[ijltfrI .,:;'|!()/-]/, 0.34],
  [/[mwMW@%]/, 0.96],
  [/[A-Z]/, 0.78],
  [/[ -~]/, 0.62],
]

/** The label of a node without a name, if it is longer than the narrowest node. */
function labelOf({ type, name, method, url, repeat, crontab, once }: FlowNode): string {
  if (type === 'inject') return `${name}${repeat || crontab ? ' ↻' : ''}${once ? ' ¹' : ''}`
  if (name) return String(name)
  if (type === 'http in') return `[${method}] ${url}`
  if (!type.startsWith('envlog-')) return ''
  return `records of a period${Number(repeat) > 0 ? ': every 10 min' : ''}`
}

const emOf = (char: string) => WIDTHS.find(([characters]) => characters.test(char))?.[1] ?? 1

const labelWidth = (label: string) =>
  Array.from(label).reduce((sum, char) => sum + emOf(char), 0) * FONT_PX * WIDER

const isLink = ({ type }: FlowNode) => type === 'link in' || type === 'link out'

/** The area of a node, with its button. */
function areaOf(node: FlowNode): Area {
  const { type, x = 0, y = 0, w = 0, h = 0 } = node as FlowNode & Record<string, number>
  if (type === 'group') return { left: x, right: x + w, top: y, bottom: y + h }
  const outputs = (node.wires as unknown[] | undefined)?.length ?? 0
  const width = isLink(node) ? HEIGHT : Math.max(100, 20 * Math.ceil((57 + labelWidth(labelOf(node))) / 20))
  const height = Math.max(HEIGHT, PORT * outputs)
  return {
    left: x - width / 2 - (type === 'inject' ? BUTTON : 0),
    right: x + width / 2 + (type === 'debug' ? BUTTON : 0),
    top: y - height / 2,
    bottom: y + height / 2,
  }
}

interface Place {
  node: FlowNode
  area: Area
}

const touch = (one: Area, other: Area) =>
  one.left <= other.right && other.left <= one.right && one.top <= other.bottom && other.top <= one.bottom

const isWithin = (inner: Area, outer: Area) =>
  inner.left > outer.left && inner.right < outer.right && inner.top > outer.top && inner.bottom < outer.bottom

/** What is wrong with the layout of a flow, in a few words for each place. */
export function untidyPlaces(flow: readonly FlowNode[]): string[] {
  const places = flow
    .filter(({ type, z, x }) => type !== 'tab' && z !== undefined && x !== undefined)
    .map((node) => ({ node, area: areaOf(node) }))
  const nodes = places.filter(({ node }) => node.type !== 'group')
  const groups = places.filter(({ node }) => node.type === 'group')
  const shown = ({ node }: Place) => `${node.id} (${node.name})`
  const onTab = (all: readonly Place[], place: Place) =>
    all.filter((other) => other !== place && other.node.z === place.node.z)

  const outside = places.filter(({ area }) => area.left < 0 || area.top < 0)
  const pairs = (all: readonly Place[]) =>
    all.flatMap((place, at) =>
      onTab(all.slice(at + 1), place)
        .filter((other) => touch(place.area, other.area))
        .map((other) => `${shown(place)} touches ${shown(other)}`),
    )
  const strangers = groups.flatMap((group) =>
    onTab(nodes, group)
      .filter(({ node, area }) =>
        node.g === group.node.id ? !isWithin(area, group.area) : touch(area, group.area),
      )
      .map((place) => `${shown(place)} is at the border of ${shown(group)}`),
  )
  // Receipts too: they go from a *link out* at the end to a *link in* before the envlog node.
  const backwards = nodes.flatMap((source) =>
    nodes
      .filter(({ node }) => (source.node.wires as string[][]).flat().includes(node.id))
      .filter(({ area }) => area.left - source.area.right < WIRE)
      .map((target) => `the wire from ${shown(source)} to ${shown(target)} goes from right to left`),
  )
  return [
    ...outside.map((place) => `${shown(place)} begins outside the canvas`),
    ...pairs(nodes),
    ...pairs(groups),
    ...strangers,
    ...backwards,
  ]
}
