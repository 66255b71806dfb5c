/**
 * The parts of Node-RED's editor that our forms use, as in 4.1 and 5. The published types lack validators that return
 * reasons.
 */

/** A node in the editor; `this` in a definition's functions. */
export interface Form {
  id: string
  type: string
  name?: string
  [property: string]: unknown
}

/** A config node in the editor, with credentials typed since the last deploy. */
export interface ConfigNode extends Form {
  credentials?: Record<string, unknown>
}

/** Node-RED accepts a sentence only from functions that declare exactly two parameters. */
type Validator = (this: Form, value: unknown, options: object) => true | string

export interface Property {
  value: unknown
  /** Type of a config node. */
  type?: string
  required?: boolean
  /** The name in the sentence about a missing value. Without a label, there is no such sentence. */
  label?: string
  validate?: Validator
}

export interface Definition {
  category: string
  defaults: Record<string, Property>
  credentials?: Record<string, { type: 'text' | 'password'; validate?: Validator }>
  paletteLabel?(): string
  label(): string
  labelStyle?(): string
  inputLabels?(): string
  outputLabels?(index: number): string
  /** Called when the type has been added to the palette. */
  onpaletteadd?(): void
  oneditprepare?(): void
  oneditsave?(): void
}

/** A panel that slides over the form. */
interface Tray {
  title: string
  width?: number
  buttons: readonly { id: string; text: string; class?: string; click(): void }[]
  open(tray: JQuery): void
  close?(): void
}

/** A step that can be undone. The nodes are ids if it has added them. */
interface HistoryEvent {
  t: string
  nodes?: unknown[]
  events?: HistoryEvent[]
}

declare global {
  // Node-RED's own widgets.
  interface JQuery {
    typedInput(options: object): JQuery
    typedInput(command: 'type' | 'value', value: unknown): JQuery
    typedInput(command: 'type' | 'value'): string
    i18n(): JQuery
    editableList(options: object): JQuery
    editableList(command: 'addItem', data: object): void
    editableList(command: 'insertItemAt', data: object, index: number): void
  }

  const RED: {
    nodes: {
      registerType(type: string, definition: Definition & ThisType<Form>): void
      node(id: string): ConfigNode | null
      eachNode(visit: (node: Form) => void): void
      eachConfig(visit: (node: ConfigNode) => void): void
      workspace(id: string): { disabled?: boolean; locked?: boolean } | undefined
      subflow(id: string): { locked?: boolean } | undefined
      /** Makes its config nodes list this node as a user. */
      updateConfigNodeUsers(node: Form): void
      remove(id: string): void
    }
    history: {
      /** What *undo* would do next. */
      peek(): HistoryEvent | undefined
    }
    editor: { validateNode(node: Form): boolean }
    events: { on(event: string, listener: (node: Form) => void): void }
    tray: { show(tray: Tray): void; close(closed: () => void): void }
    i18n: { lang(): string }
    utils: {
      /** Validates a typed input. @returns `true`, or the problem */
      validateTypedProperty(value: unknown, type: string, options: { label: string }): true | string
    }
    popover: {
      /** Shows a text while the pointer is on the target; none if it is `null`. */
      tooltip(target: JQuery, content: () => string | null): void
    }
    clipboard: {
      /** Copies the text and shows the message at the element. */
      copyText(text: string, element: JQuery, message: string): boolean
    }
    _(key: string, params?: Record<string, unknown>): string
  }
}

/** More digits would show the inaccuracy of calculated numbers. */
const MAX_DIGITS = 12

/** Translates a key in the nodes' catalog. */
export function translate(key: string, params: Record<string, unknown> = {}): string {
  return RED._(`@envlog/node-red-envlog/envlog:${key}`, params)
}

/** The user's language, for example `ja`. */
export function language(): string {
  return RED.i18n.lang()
}

/** A number in the user's language: *1,000*. */
export function formatNumber(value: number): string {
  return new Intl.NumberFormat(language(), { maximumSignificantDigits: MAX_DIGITS }).format(value)
}

/** Creates a format once per language, because a list of devices formats thousands of values. */
export function perLanguage<T>(create: (language: string) => T): () => T {
  const formats = new Map<string, T>()
  return () => {
    const format = formats.get(language()) ?? create(language())
    formats.set(language(), format)
    return format
  }
}

const listFormat = perLanguage((language) => new Intl.ListFormat(language, { style: 'narrow' }))

/** A list in the user's language: *a, b*. */
export function enumerated(parts: readonly string[]): string {
  return listFormat().format(parts)
}

/** The time of day of an instant, in the user's time zone, as in statuses: *20:17*. */
export function clockTime(instant: number): string {
  return new Date(instant).toLocaleTimeString(language(), {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
}

/** A saved list; empty if the saved value is not a list. */
export function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? value : []
}
