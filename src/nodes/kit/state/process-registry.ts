import { systemClock } from '../../../lib/clock'
import { Registry } from '../../../lib/registry'

/** The only registry of the process. Its state outlives deploys. */
export const registry = new Registry(systemClock)
