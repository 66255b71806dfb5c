import { LIMITS_TYPES, readLimits } from '../../shared/limits-schema'
import { describeProblem } from '../../shared/problems'
import { hasEnvVariable, isEnvVariable } from '../../shared/schema'
import { prepareAccountField } from '../account-field'
import { nameTypedInput, prepareFields, saveVariables } from '../fields'
import type { FindProblem } from '../properties'
import { type Form, listOf, translate } from '../red'
import { LimitList } from './limit-list'
import { showSilentHint } from './silent-hint'

/** The problem of the limits, or of the expression that they are read with. */
export const findLimitsProblem: FindProblem = (_, { limits = [], limitsType = 'table' }) => {
  if (limitsType !== 'table') {
    const label = translate('limits.rows')
    const result = RED.utils.validateTypedProperty(limits, String(limitsType), { label })
    return result === true ? undefined : result
  }
  // Limits with variables are known only at run time. In their place is one that is valid.
  const known = listOf(limits).map((limit, row) =>
    hasEnvVariable(limit) ? { name: `row ${row}`, above: 0 } : limit,
  )
  const found = readLimits(Array.isArray(limits) ? known : limits)
  return 'problem' in found ? describeProblem(found.problem, found.property, translate) : undefined
}

/** The form of envlog-limits. */
export class LimitsForm {
  readonly #form: Form
  /** The saved rows, or an environment variable in their place. */
  readonly #rows: unknown
  readonly #list: LimitList
  readonly #type = $('#node-config-input-limitsType')
  readonly #expression = $('#envlog-limits-source')

  constructor(form: Form) {
    this.#form = form
    prepareFields(form, $('[id^=node-config-input-]'))
    this.#rows = form.limitsType === 'table' ? form.limits : form.rows
    this.#list = new LimitList(this.#rows, prepareAccountField(form))
    const table = { value: 'table', label: translate('limits.table'), hasValue: false }
    const show = () => $('.envlog-limits-table').toggle(this.#type.val() === 'table')
    this.#expression.val(typeof form.limits === 'string' ? form.limits : '')
    const types = LIMITS_TYPES.map((type) => (type === 'table' ? table : type))
    this.#expression.typedInput({ default: 'table', typeField: this.#type, types })
    nameTypedInput(this.#expression)
    this.#expression.on('change', show)
    show()
    void showSilentHint(form)
  }

  /** Stores the limits in the node, because Node-RED itself saves only plain inputs. */
  save(): void {
    saveVariables($('[id^=node-config-input-]'))
    const { limits } = this.#list
    const rows = limits.length === 0 && isEnvVariable(this.#rows) ? this.#rows : limits
    const isTable = this.#type.val() === 'table'
    this.#form.limits = isTable ? rows : this.#expression.typedInput('value')
    // Rows that the type does not use are kept, as Node-RED's own nodes do.
    if (!isTable) this.#form.rows = rows
    else if (listOf(this.#form.rows).length > 0) this.#form.rows = []
  }
}
