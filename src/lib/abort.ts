import { setMaxListeners } from 'node:events'

/** Creates a controller whose signal any number of requests may listen to without a warning of Node.js. */
export function createAbort(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

/** A signal that aborts with its parent, and by itself. */
export interface LinkedAbort {
  signal: AbortSignal
  abort(): void
  /** Stops listening to the parent, which may live much longer. To be called when the work is over. */
  release(): void
}

/** Links a signal to its parent. `AbortSignal.any` leaks its signals in the older versions of Node.js we support. */
export function linkAbort(parent: AbortSignal): LinkedAbort {
  const controller = createAbort()
  const abort = () => controller.abort()
  if (parent.aborted) abort()
  else parent.addEventListener('abort', abort, { once: true })
  return { signal: controller.signal, abort, release: () => parent.removeEventListener('abort', abort) }
}
