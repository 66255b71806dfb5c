/** The service and its data without Node-RED: what the nodes are built on. */
export { type Account, type AccountSettings, createAccount } from './account'
export { undiciTransport } from './api/transport'
export { type Clock, systemClock } from './clock'
export { EnvlogError, type ErrorCode } from './errors'
