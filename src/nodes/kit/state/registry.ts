import { systemClock } from '../../../lib/clock'
import { createRegistry } from '../../../lib/registry'

/** The one registry of the process: what outlives deploys. */
export const registry = createRegistry(systemClock)
