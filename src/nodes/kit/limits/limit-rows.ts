import type { Node, NodeAPI } from 'node-red'
import { EnvlogError } from '../../../lib/errors'
import { type Limit, type LimitsSettings, limitsSchema, readLimits } from '../../../shared/limits-schema'
import { readSettings } from '../settings/read-settings'
import { createEvaluator, formatTypedInput } from '../settings/typed-input'

/** What a report needs: the rows as they are now, and after how many minutes a device is silent; `null`: never. */
export interface ReportLimits {
  limits: readonly Limit[]
  silentAfter: number | null
}

/** The settings of envlog-limits and its rows, which may be in the global context or the environment. */
export class LimitRows {
  readonly #RED: NodeAPI
  readonly #node: Node
  readonly settings: LimitsSettings
  /** The rows of the form; `undefined` if they are elsewhere. */
  readonly table: readonly Limit[] | undefined

  /** @throws EnvlogError `ENVLOG_CONFIG` */
  constructor(RED: NodeAPI, node: Node, config: object) {
    this.#RED = RED
    this.#node = node
    this.settings = readSettings(limitsSchema, config)
    const { limits, limitsType } = this.settings
    this.table = limitsType === 'table' ? parse(limits, 'limit-invalid') : undefined
  }

  /** The rows as they are now. @throws EnvlogError `limits-unreadable` */
  async read(): Promise<readonly Limit[]> {
    if (this.table) return this.table
    const { limits, limitsType } = this.settings
    const evaluate = createEvaluator(this.#RED, this.#node, {})
    const value = await evaluate(String(limits), limitsType)
    return parse(value, 'limits-unreadable', formatTypedInput(String(limits), limitsType))
  }

  /** @throws EnvlogError `limits-unreadable` */
  async readForReport(): Promise<ReportLimits> {
    return { limits: await this.read(), silentAfter: this.settings.silentAfter }
  }
}

/** @throws EnvlogError `reason` */
function parse(value: unknown, reason: 'limit-invalid' | 'limits-unreadable', source = ''): readonly Limit[] {
  const found = readLimits(value)
  if (!('problem' in found)) return found
  throw new EnvlogError(reason, { source, property: found.property, ...found.problem })
}
