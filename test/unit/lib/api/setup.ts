import { install, type Clock as Timers } from '@sinonjs/fake-timers'
import { Client, type ClientSettings } from '../../../../src/lib/api/client'
import type { Transport } from '../../../../src/lib/api/transport'
import { type Clock, systemClock } from '../../../../src/lib/clock'
import { EnvlogError } from '../../../../src/lib/errors'
import { limitsWith } from '../../../../src/lib/quota/account-limits'
import { Quota } from '../../../../src/lib/quota/quota'
import type { LimitsTable } from '../../../../src/shared/service-limits'
import { type FakeTransport, fakeTransport, json, type Script } from '../../../support/fake-transport'
import { currentDevice } from '../responses'

export const credentials = { apiKey: `${'k'.repeat(44)}1`, loginId: 'user0001', loginPass: 'pa/ss"1' }

export const settings: ClientSettings = {
  baseUrl: 'https://service.example/api',
  relaySuffix: 'relay',
  credentials,
  timeout: 30,
  retries: 3,
}

/** A client of a scripted service with unlimited quota; jitter is 0.5 by default. */
export function clientOf(
  script: Script,
  {
    concurrency = 2,
    limits = PLENTY,
    clock = systemClock,
    quota = new Quota(clock),
    transport: port,
    ...over
  }: Partial<ClientSettings> & {
    concurrency?: number
    limits?: LimitsTable
    clock?: Clock
    quota?: Quota
    transport?: Transport
  } = {},
  random: () => number = () => 0.5,
): { client: Client; transport: FakeTransport; quota: Quota } {
  const transport = fakeTransport(script)
  quota.join({ concurrency, limits: limitsWith(limits) })
  const client = new Client({ ...settings, ...over }, { transport: port ?? transport, clock, quota, random })
  return { client, transport, quota }
}

const plenty = { limit: 1_000_000, window: 1 }
export const PLENTY: LimitsTable = {
  current: plenty,
  'latest-data': plenty,
  'latest-data-relay': plenty,
  data: plenty,
  'data-relay': plenty,
  alert: plenty,
}

export const ok = () => json({ devices: [currentDevice()] })

/** Installs fake timers around each test of a file. */
export function useFakeTimers(): () => Timers {
  let timers: Timers
  beforeEach(() => {
    timers = install({
      now: 1_795_161_600_000,
      toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
    })
  })
  afterEach(() => timers.uninstall())
  return () => timers
}

/** State of a promise: the reason of its failure, `done`, or `waits`. */
export function watch(promise: Promise<unknown>): { state: string; error?: EnvlogError } {
  const seen: { state: string; error?: EnvlogError } = { state: 'waits' }
  promise.then(
    () => {
      seen.state = 'done'
    },
    (error) => {
      seen.state = error instanceof EnvlogError ? error.reason : String(error)
      seen.error = error
    },
  )
  return seen
}
