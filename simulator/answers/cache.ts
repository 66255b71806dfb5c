/** Caches encoded bodies by request and state of the data, so that repeated requests need no work. */
export class BodyCache {
  private bodies = new Map<string, Buffer>()
  private size = 0

  constructor(private readonly capacity = 96 * 1024 * 1024) {}

  get(key: string | undefined, make: () => string): Buffer {
    const known = key === undefined ? undefined : this.bodies.get(key)
    if (known) return known
    const body = Buffer.from(make())
    if (key !== undefined && body.length <= this.capacity / 2) this.keep(key, body)
    return body
  }

  clear(): void {
    this.bodies.clear()
    this.size = 0
  }

  private keep(key: string, body: Buffer): void {
    this.bodies.set(key, body)
    this.size += body.length
    for (const [oldest, dropped] of this.bodies) {
      if (this.size <= this.capacity) break
      this.bodies.delete(oldest)
      this.size -= dropped.length
    }
  }
}
