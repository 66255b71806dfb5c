/**
 * Loaded before Node-RED (`--require`): writes into `watched.jsonl` of the working directory which routes our package
 * registers, and all connections. Connections to other machines are logged, and fail.
 */
const { appendFileSync } = require('node:fs')
const Module = require('node:module')
const net = require('node:net')
const { join } = require('node:path')

const file = join(process.cwd(), 'watched.jsonl')
const OURS = /node-red-envlog[\\/]dist[\\/]/
const LOOPBACK = /^(?:localhost|127\.[\d.]+|::1)$/

// Written synchronously: after an answer, the file is complete.
const report = (what) => appendFileSync(file, `${JSON.stringify(what)}\n`)

/** Each copy of express has a router of its own. */
const load = Module._load
Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest)
  if (request === 'express') watch(loaded.Router)
  return loaded
}

const watched = new Set()

/** Methods of all routers: of the function itself in express 4, of its prototype in 5. */
function watch(Router) {
  const routers = Router.route ? Router : Router.prototype
  if (watched.has(routers)) return
  watched.add(routers)
  const { route, use } = routers
  routers.route = function (path) {
    const made = route.call(this, path)
    // Its methods follow.
    if (isOurs()) setImmediate(() => report({ route: String(path), methods: Object.keys(made.methods) }))
    return made
  }
  routers.use = function (...args) {
    if (isOurs()) report({ route: typeof args[0] === 'string' ? args[0] : '/', methods: ['use'] })
    return use.apply(this, args)
  }
}

const isOurs = () => OURS.test(new Error().stack)

const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args
  const { path, port, host = 'localhost' } = typeof first === 'object' ? first : { port: first, host: second }
  report({ connects: path ?? `${host}:${port}` })
  if (path || LOOPBACK.test(host)) return connect.apply(this, args)
  const error = new Error('connect EHOSTUNREACH')
  process.nextTick(() => this.destroy(Object.assign(error, { code: 'EHOSTUNREACH', syscall: 'connect' })))
  return this
}
