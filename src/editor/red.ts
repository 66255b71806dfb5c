/**
 * The parts of Node-RED's editor that our forms use, as 4.1 and 5 have them; the published types know no
 * validators that give reasons.
 */

/** A node in the editor: what a definition's functions have as `this`. */
export interface Form {
  id: string
  name?: string
  /** A text of the node's catalog. */
  _(key: string, params?: Record<string, unknown>): string
  [property: string]: unknown
}

/** Node-RED takes a sentence only from functions that declare exactly two parameters. */
type Validator = (value: string, options: object) => true | string

interface Property {
  value: unknown
  /** Of a config node. */
  type?: string
  required?: boolean
  validate?: Validator
}

interface Definition {
  category: string
  color?: string
  icon?: string
  inputs?: 0 | 1
  outputs?: number
  defaults: Record<string, Property>
  credentials?: Record<string, { type: 'text' | 'password' }>
  paletteLabel?(): string
  label(): string
  labelStyle?(): string
  inputLabels?(): string
  outputLabels?(): string
  oneditprepare?(): void
  oneditsave?(): void
}

declare global {
  // Node-RED's own widgets.
  interface JQuery {
    typedInput(options: object): JQuery
    typedInput(command: 'type' | 'value', value: string): JQuery
    typedInput(command: 'type' | 'value'): string
    editableList(options: object): JQuery
    editableList(command: 'addItems', rows: readonly object[]): JQuery
    editableList(command: 'items'): JQuery
  }

  const RED: {
    nodes: { registerType(type: string, definition: Definition & ThisType<Form>): void }
    _(key: string, params?: Record<string, unknown>): string
  }
}
