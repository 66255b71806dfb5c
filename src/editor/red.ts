/**
 * The parts of Node-RED's editor that our forms use, as 4.1 and 5 have them; the published types know no
 * validators that give reasons.
 */

/** A node in the editor; `this` in a definition's functions. */
export interface Form {
  id: string
  type: string
  name?: string
  /** A text of the node's catalog. */
  _(key: string, params?: Record<string, unknown>): string
  [property: string]: unknown
}

/** A config node in the editor, with the credentials that were typed since the last deploy. */
export interface ConfigNode extends Form {
  credentials?: Record<string, unknown>
}

/** Node-RED takes a sentence only from functions that declare exactly two parameters. */
type Validator = (this: Form, value: unknown, options: object) => true | string

export interface Property {
  value: unknown
  /** Of a config node. */
  type?: string
  required?: boolean
  /** The name in the sentence about a missing value; without a label there is no sentence. */
  label?: string
  validate?: Validator
}

interface Credential {
  type: 'text' | 'password'
  validate?: Validator
}

export interface Definition {
  category: string
  color?: string
  icon?: string
  inputs?: 0 | 1
  outputs?: number
  defaults: Record<string, Property>
  credentials?: Record<string, Credential>
  paletteLabel?(): string
  label(): string
  labelStyle?(): string
  inputLabels?(): string
  outputLabels?(): string
  /** The type is in the palette. */
  onpaletteadd?(): void
  /** A node is dropped into a flow, or pasted; before it is there in the first case. */
  onadd?(): void
  oneditprepare?(): void
  oneditsave?(): void
  oneditcancel?(): void
  oneditdelete?(): void
}

/** A panel that slides over the form. */
interface Tray {
  title: string
  width?: number
  buttons: readonly { id: string; text: string; class?: string; click(): void }[]
  open(tray: JQuery): void
  close?(): void
}

declare global {
  // Node-RED's own widgets.
  interface JQuery {
    typedInput(options: object): JQuery
    typedInput(command: 'type' | 'value' | 'types', value: unknown): JQuery
    typedInput(command: 'type' | 'value'): string
    searchBox(options: object): JQuery
  }

  const RED: {
    nodes: {
      registerType(type: string, definition: Definition & ThisType<Form>): void
      node(id: string): ConfigNode | null
      eachNode(visit: (node: Form) => void): void
      eachConfig(visit: (node: ConfigNode) => void): void
      workspace(id: string): { disabled?: boolean } | undefined
    }
    tray: { show(tray: Tray): void; close(closed: () => void): void }
    i18n: { lang(): string }
    utils: {
      /** Of typed inputs: `true`, or what is wrong. */
      validateTypedProperty(value: unknown, type: string, options: { label: string }): true | string
    }
    popover: { tooltip(element: JQuery, text: string): unknown }
    _(key: string, params?: Record<string, unknown>): string
  }
}

/** Translates a key of the nodes' catalog; for definitions, validators and requests, which run without a form. */
export function translate(key: string, params: Record<string, unknown> = {}): string {
  return RED._(`@envlog/node-red-envlog/envlog:${key}`, params)
}

/** The language of the viewer, for example `ja`. */
export function language(): string {
  return RED.i18n.lang()
}

/** One after another, as the viewer's language writes it: *a, b*. */
export function enumerated(parts: readonly string[]): string {
  return new Intl.ListFormat(language(), { style: 'narrow' }).format(parts)
}

/** The clock's time of an instant, where the viewer is. */
export function clockTime(instant: number): string {
  return new Date(instant).toLocaleTimeString(language(), { hour: '2-digit', minute: '2-digit' })
}
