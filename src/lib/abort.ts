import { setMaxListeners } from 'node:events'

/** A controller whose signal any number of requests may listen to without a warning. */
export function createAbort(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

/**
 * A controller that aborts with its parent. `release` it when the work is over: parents live long, and
 * `AbortSignal.any` keeps what it made in the older Node versions we support.
 */
export interface LinkedAbort {
  signal: AbortSignal
  abort(): void
  release(): void
}

export function linkAbort(parent: AbortSignal): LinkedAbort {
  const controller = createAbort()
  const abort = () => controller.abort()
  if (parent.aborted) abort()
  else parent.addEventListener('abort', abort, { once: true })
  return { signal: controller.signal, abort, release: () => parent.removeEventListener('abort', abort) }
}
