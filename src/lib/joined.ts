import { createAbort } from './abort'
import { EnvlogError } from './errors'

/**
 * Makes `work` run once for all who ask while it runs. Each waits with a signal of its own; the work is given
 * up only when nobody waits for it any more.
 */
export function joined<T>(work: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let running: { result: Promise<T>; abort: AbortController; waiting: number } | undefined

  function start() {
    const abort = createAbort()
    const run = { result: work(abort.signal), abort, waiting: 0 }
    const end = () => {
      if (running === run) running = undefined
    }
    run.result.then(end, end)
    return run
  }

  return (signal) =>
    new Promise<T>((resolve, reject) => {
      if (signal.aborted) return reject(new EnvlogError('closed'))
      running ??= start()
      const run = running
      run.waiting++
      const leave = () => {
        if (--run.waiting === 0 && running === run) {
          running = undefined
          run.abort.abort()
        }
        reject(new EnvlogError('closed'))
      }
      signal.addEventListener('abort', leave, { once: true })
      run.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
}
