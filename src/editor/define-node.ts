import { nameOfType } from '../shared/action'
import { nodeLabel } from './node-label'
import { type Definition, type Form, type Property, translate } from './red'

type NodeDefinition = Omit<Definition, 'category'> & ThisType<Form>

interface Parts {
  /** The property with the id of a config node, without which the node does nothing. */
  requires: { [property: string]: { type: string; label: string } }
  /** Words by which the palette's search finds the node, besides those of all nodes. */
  searchWords?: string
}

const ofAccount = { account: { type: 'envlog-account', label: 'label.account' } }

/**
 * The parts of a definition that all nodes of the palette have. The build registers it (scripts/build.ts), and adds its
 * position and appearance in the palette.
 */
export function defineNode(
  type: `envlog-${string}`,
  properties: Readonly<Record<string, Property>>,
  { requires, searchWords }: Parts = { requires: ofAccount },
): NodeDefinition {
  const name = nameOfType(type)
  const required = Object.entries(requires).map(([property, { type, label }]) => [
    property,
    { value: '', type, required: true, label: translate(label) },
  ])
  return {
    defaults: {
      ...properties,
      ...Object.fromEntries(required),
    },
    paletteLabel: () => translate(`${name}.label`),
    label() {
      return nodeLabel(this, translate(`${name}.label`))
    },
    labelStyle() {
      return this.name ? 'node_label_italic' : ''
    },
    outputLabels: () => translate(`${name}.output`),
    onpaletteadd() {
      // The palette's search uses this label as well as the type, so the visible label can stay short.
      const words = [translate(`${name}.label`), translate(searchWords ?? 'label.searchWords')]
      $(`.red-ui-palette-node[data-palette-type="${type}"]`).attr('data-palette-label', words.join(' '))
    },
  }
}
