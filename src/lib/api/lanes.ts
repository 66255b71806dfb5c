import { EnvlogError } from '../errors'

/** Lets so many in at the same time, in the order they came. */
export function createLanes(count: number) {
  const waiting = new Set<() => void>()
  let free = count

  const leave = () => {
    const [next] = waiting
    if (!next) {
      free++
      return
    }
    waiting.delete(next)
    next()
  }

  return {
    /** Resolves with the function that makes room again; rejects with `closed` if the signal aborts before. */
    enter(signal: AbortSignal): Promise<() => void> {
      return new Promise((resolve, reject) => {
        const give = () => {
          signal.removeEventListener('abort', stop)
          let left = false
          resolve(() => {
            if (!left) leave()
            left = true
          })
        }
        const stop = () => {
          waiting.delete(give)
          reject(new EnvlogError('closed'))
        }
        if (signal.aborted) return stop()
        signal.addEventListener('abort', stop, { once: true })
        if (free > 0) {
          free--
          give()
        } else {
          waiting.add(give)
        }
      })
    },
  }
}
