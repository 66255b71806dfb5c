import { Client } from '../../../src/lib/api/client'
import { limitsWith } from '../../../src/lib/quota/account-limits'
import { Quota } from '../../../src/lib/quota/quota'
import type { QueueKey } from '../../../src/lib/request'
import { createRandom, type Random } from '../chance'
import { createVirtualClock } from '../clock'
import { type CountedRequest, type Fate, ModelService, type ServiceRow } from './model-service'

/** A limit in the settings of an account node or form, for the requested endpoint. */
export interface OwnLimit {
  limit: number
  window: number
}

export interface Scenario {
  seed: number
  row: ServiceRow
  /** The client's configured limit, if it differs from the service's. */
  table?: OwnLimit | undefined
  concurrency: number
  /** Longest latencies of request and response, ms. */
  up: number
  back: number
  /** Whether the service counts refused requests. */
  refusedCounts: boolean
  /** Share of responses with headers. */
  headerRate: number
  /** Probabilities of faults. */
  faults: Partial<Record<Fate['ends'], number>>
}

/** Settings of a client. */
export const SETTINGS = {
  baseUrl: 'https://service.example',
  relaySuffix: 'relay',
  credentials: { apiKey: 'k'.repeat(45), loginId: 'user0001', loginPass: 'pass' },
  /** No response of the model takes that long. */
  timeout: 10_000,
  retries: 1,
}

/** A service, and a Node-RED that requests the current readings of one device after the other. */
export class Simulation {
  readonly clock
  readonly random: Random
  readonly service: ModelService
  readonly scenario: Scenario
  readonly quota: Quota
  /** The limits of account nodes and forms, each with a function that closes it. */
  readonly #open = new Map<OwnLimit, () => void>()
  /** In the order of sending, with the limits at that time. */
  readonly #fates = new Map<Fate, OwnLimit[]>()
  #client!: Client
  #transport!: ReturnType<ModelService['transport']>
  #count = 0
  #unanswered = 0

  constructor(scenario: Scenario) {
    this.scenario = scenario
    this.random = createRandom(scenario.seed)
    this.clock = createVirtualClock(this.random.next() * 1000)
    this.service = new ModelService(this.clock, scenario.row, scenario.refusedCounts)
    const { row, table = row } = scenario
    this.quota = new Quota(this.clock)
    this.toggle({ limit: table.limit, window: table.window })
    this.deploy()
  }

  /** Opens an account node or a form with this limit or, if it is open, closes it. */
  toggle(own: OwnLimit): void {
    const leave = this.#open.get(own)
    this.#open.delete(own)
    if (leave) leave()
    else
      this.#open.set(
        own,
        this.quota.join({ concurrency: this.scenario.concurrency, limits: limitsWith({ current: own }) }),
      )
  }

  /** Requests that exceeded a limit of an account node or form that was open when they were sent. */
  excesses(): CountedRequest[] {
    const places = new Map([...this.#fates.keys()].map((fate, place) => [fate, place]))
    const placeOf = ({ fate }: CountedRequest) => (fate && places.get(fate)) ?? -1
    const ours = this.service.log.filter(({ fate }) => fate).sort((a, b) => placeOf(a) - placeOf(b))
    return ours.filter(({ at, fate }, index) => {
      const isOver = ({ limit, window }: OwnLimit) =>
        ours.slice(0, index + 1).filter((one) => one.at > at - window * 1000).length > limit
      return fate && this.#fates.get(fate)?.some(isOver)
    })
  }

  /** A deploy opens another client; the usage remains. */
  deploy(): void {
    void this.#client?.close()
    this.#transport = this.service.transport(() => this.#fate())
    const ports = { transport: this.#transport, clock: this.clock, quota: this.quota, random: () => 0.5 }
    this.#client = new Client(SETTINGS, ports)
  }

  /** The number of requests that have no result yet. */
  unanswered(): number {
    return this.#unanswered
  }

  sent(): readonly { at: number; latency: number }[] {
    return this.#transport.sent
  }

  /** @param repeat whether to send another request afterwards, for endless demand */
  request(repeat: () => boolean = () => false, stop = new AbortController()): void {
    const queueKey: QueueKey = this.random.pick(['a', 'b', 'c'])
    this.#unanswered++
    const end = () => {
      this.#unanswered--
      if (repeat()) this.request(repeat)
    }
    const params = { 'remote-serial': [`${this.#count++}`] }
    this.#client.read('current', params, { signal: stop.signal, queueKey, maxWaitMs: null }).then(end, end)
  }

  #fate(): Fate {
    const { up, back, headerRate, faults } = this.scenario
    const { random } = this
    let ends: Fate['ends'] = 'well'
    for (const [fault, share] of Object.entries(faults))
      if (random.chance(share)) ends = fault as Fate['ends']
    const fate = {
      up: Math.round(random.next() * up),
      back: Math.round(random.next() * back),
      ends,
      counted: random.chance(0.5),
      hasHeaders: random.chance(headerRate),
    }
    this.#fates.set(fate, [...this.#open.keys()])
    return fate
  }
}
