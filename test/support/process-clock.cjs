/**
 * Loaded before Node-RED (`--require`): its timers and its monotonic clock run ENVLOG_TEST_SPEED times as fast, so that
 * a flow with one round per second has several. Its wall clock starts at ENVLOG_TEST_NOW, except in function nodes,
 * and runs at normal speed.
 */
const { ENVLOG_TEST_SPEED, ENVLOG_TEST_NOW } = process.env
const speed = Number(ENVLOG_TEST_SPEED)

/**
 * The dashboard's socket sends a ping every 25 s and waits 20 s for the answer. These keep their speed: a page on a busy
 * machine would not answer in time, would lose its connection, and the browser would log an error.
 */
const HEARTBEAT_MS = new Set([25_000, 20_000])

for (const name of ['setTimeout', 'setInterval']) {
  const real = globalThis[name]
  const fast = (work, ms = 0, ...rest) => real(work, HEARTBEAT_MS.has(ms) ? ms : Number(ms) / speed, ...rest)
  globalThis[name] = Object.defineProperties(fast, Object.getOwnPropertyDescriptors(real))
}

const { performance } = globalThis
const now = performance.now.bind(performance)
performance.now = () => now() * speed

if (ENVLOG_TEST_NOW) {
  const realNow = Date.now
  const ahead = Number(ENVLOG_TEST_NOW) - realNow()
  Date.now = () => realNow() + ahead
  globalThis.Date = new Proxy(Date, {
    construct: (target, values, made) =>
      Reflect.construct(target, values.length > 0 ? values : [target.now()], made),
  })
}
