/** Who comes to the admin routes, and what the contract (SECURITY.md, docs/quota.md) lets them do. */

export interface Person {
  title: string
  /** Permissions as `adminAuth` has them; without it the person has not logged in. */
  permissions?: string | string[]
  /** How the token is wrong. */
  token?: 'made-up' | 'revoked'
  /** May look at what the runtime knows, as `envlog.read` allows. */
  canRead: boolean
  /** May have an address asked, as `envlog.write` and `flows.write` allow together. */
  canRequest: boolean
}

const none = { canRead: false, canRequest: false }
const canOnlyRead = { canRead: true, canRequest: false }
const canOnlyRequest = { canRead: false, canRequest: true }
const all = { canRead: true, canRequest: true }

export const people: readonly Person[] = [
  { title: 'somebody who has not logged in', ...none },
  { title: 'somebody with a made-up token', token: 'made-up', ...none },
  { title: 'somebody whose token was revoked', token: 'revoked', permissions: '*', ...none },
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
export const WITHOUT_ADMIN_AUTH: Person = { title: 'anybody without adminAuth', ...all }
