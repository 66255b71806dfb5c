/**
 * Loaded before Node-RED (`--require`): its timers and its monotonic clock run ENVLOG_TEST_SPEED times as fast, so that
 * a flow with one round per second has several. The wall clock is not changed.
 */
const speed = Number(process.env.ENVLOG_TEST_SPEED)

for (const name of ['setTimeout', 'setInterval']) {
  const real = globalThis[name]
  const fast = (work, ms = 0, ...rest) => real(work, Number(ms) / speed, ...rest)
  globalThis[name] = Object.defineProperties(fast, Object.getOwnPropertyDescriptors(real))
}

const { performance } = globalThis
const now = performance.now.bind(performance)
performance.now = () => now() * speed
