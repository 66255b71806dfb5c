/** Users of the admin routes, and what they are allowed to do (SECURITY.md, docs/quota.md). */

export interface Person {
  title: string
  /** Permissions as `adminAuth` has them; without it the person has not logged in. */
  permissions?: string | string[]
  /** How the token is wrong. */
  token?: 'made-up' | 'revoked'
  /** May read what the runtime knows, as `envlog.read` allows. */
  canRead: boolean
  /** May cause requests to an address, as `envlog.write` and `flows.write` allow together. */
  canRequest: boolean
}

const none = { canRead: false, canRequest: false }
const canOnlyRead = { canRead: true, canRequest: false }
const canOnlyRequest = { canRead: false, canRequest: true }
const all = { canRead: true, canRequest: true }

export const people: readonly Person[] = [
  { title: 'a user without a login', ...none },
  { title: 'a user with a made-up token', token: 'made-up', ...none },
  { title: 'a user with a revoked token', token: 'revoked', permissions: '*', ...none },
  { title: 'a user without permissions', permissions: [], ...none },
  { title: 'flows.read', permissions: 'flows.read', ...none },
  { title: 'flows.write', permissions: 'flows.write', ...none },
  { title: 'envlog.write', permissions: 'envlog.write', ...none },
  { title: 'envlog', permissions: 'envlog', ...none },
  { title: 'envlog.*', permissions: 'envlog.*', ...none },
  { title: 'envlog.write and flows.read', permissions: ['envlog.write', 'flows.read'], ...none },
  { title: 'envlog.read', permissions: 'envlog.read', ...canOnlyRead },
  { title: 'read', permissions: 'read', ...canOnlyRead },
  { title: '*.read', permissions: '*.read', ...canOnlyRead },
  { title: 'read and envlog.write', permissions: ['read', 'envlog.write'], ...canOnlyRead },
  { title: 'read and flows.write', permissions: ['read', 'flows.write'], ...canOnlyRead },
  { title: 'envlog.write and flows.write', permissions: ['envlog.write', 'flows.write'], ...canOnlyRequest },
  { title: 'write', permissions: 'write', ...canOnlyRequest },
  { title: '*.write', permissions: '*.write', ...canOnlyRequest },
  {
    title: 'read, envlog.write and flows.write',
    permissions: ['read', 'envlog.write', 'flows.write'],
    ...all,
  },
  { title: '*', permissions: '*', ...all },
]

/** At a Node-RED without `adminAuth`. */
export const WITHOUT_ADMIN_AUTH: Person = { title: 'any user without adminAuth', ...all }
