/** Caches encoded bodies by request and state of the data, so that repeated requests need little work. */
export class BodyCache {
  private bodies = new Map<string, Buffer>()
  private size = 0

  /** @param capacity in bytes */
  constructor(private readonly capacity = 96 * 1024 * 1024) {}

  get(key: string | undefined, create: () => string): Buffer {
    const cached = key === undefined ? undefined : this.bodies.get(key)
    if (cached) return cached
    const body = Buffer.from(create())
    if (key !== undefined && body.length <= this.capacity / 2) this.store(key, body)
    return body
  }

  clear(): void {
    this.bodies.clear()
    this.size = 0
  }

  private store(key: string, body: Buffer): void {
    this.bodies.set(key, body)
    this.size += body.length
    for (const [oldestKey, oldest] of this.bodies) {
      if (this.size <= this.capacity) break
      this.bodies.delete(oldestKey)
      this.size -= oldest.length
    }
  }
}
