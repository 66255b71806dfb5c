import { systemClock } from '../../../lib/clock'
import { Registry } from '../../../lib/registry'

/** The only registry of the process: state that outlives deploys. */
export const registry = new Registry(systemClock)
