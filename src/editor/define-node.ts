import { nameOfType } from '../shared/action'
import { nodeLabel } from './node-label'
import { type Definition, type Form, type Property, translate } from './red'

type NodeDefinition = Omit<Definition, 'category'> & ThisType<Form>

/**
 * The parts of a definition that all nodes of the palette have. The build registers it (scripts/build.ts), and adds its
 * position and appearance in the palette.
 */
export function defineNode(
  type: `envlog-${string}`,
  properties: Readonly<Record<string, Property>>,
): NodeDefinition {
  const name = nameOfType(type)
  return {
    defaults: {
      ...properties,
      account: { value: '', type: 'envlog-account', required: true, label: translate('label.account') },
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
      const words = [translate(`${name}.label`), translate('label.searchWords')]
      $(`.red-ui-palette-node[data-palette-type="${type}"]`).attr('data-palette-label', words.join(' '))
    },
  }
}
