import { setMaxListeners } from 'node:events'

/** A controller with any number of listeners: Node.js warns of a leak at more than ten otherwise. */
export function createAbort(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

export interface LinkedAbort {
  signal: AbortSignal
  abort(): void
  /** Unlinks it from its parent. */
  release(): void
}

/**
 * A controller that aborts when its parent does. Release it when the work is done: parents live long, and
 * `AbortSignal.any` leaks memory in the older versions of Node.js that the package supports.
 */
export function createLinkedAbort(parent: AbortSignal): LinkedAbort {
  const controller = createAbort()
  const abort = () => controller.abort()
  if (parent.aborted) abort()
  else parent.addEventListener('abort', abort, { once: true })
  return { signal: controller.signal, abort, release: () => parent.removeEventListener('abort', abort) }
}
