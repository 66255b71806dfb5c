import { systemClock } from '../../../lib/clock'
import { createRegistry } from '../../../lib/registry'

/** The only registry of the process: state that outlives deploys. */
export const registry = createRegistry(systemClock)
