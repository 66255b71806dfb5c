import { setMaxListeners } from 'node:events'
import { EnvlogError } from './errors'

/**
 * Creates a controller whose signal can have any number of listeners without a warning from Node.js. Abort it with a
 * reason after each request, because without one Node.js creates an error with a stack.
 */
export function createAbort(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

/**
 * Calls back when `signal` aborts, unless `until` has aborted before. The option `signal` of `addEventListener` would
 * never remove most of several listeners, because Node.js keeps only weak references to the functions that do it.
 */
export function onAbort(signal: AbortSignal, callback: () => void, until: AbortSignal): void {
  const stop = () => signal.removeEventListener('abort', callback)
  signal.addEventListener('abort', callback, { once: true })
  until.addEventListener('abort', stop, { once: true })
}

/**
 * Creates a controller that also aborts with a parent, which may live much longer: abort it when the work is done, so
 * that it stops listening. `AbortSignal.any` leaks its signals in older versions of Node.js that we support.
 */
export function linkAbort(parent: AbortSignal): AbortController {
  const controller = createAbort()
  const abort = () => controller.abort()
  if (parent.aborted) abort()
  else onAbort(parent, abort, controller.signal)
  return controller
}

/**
 * Waits for work, which continues in the background if the wait is aborted.
 * @throws EnvlogError `closed` as soon as the signal aborts; any error of `work`
 */
export async function orClosed<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {}
  const closed = new Promise<never>((_, reject) => {
    stop = () => reject(new EnvlogError('closed'))
  })
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([closed, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
