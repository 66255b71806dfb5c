/**
 * What polling costs a gateway by the hour: bytes that a context store on disk writes, and the memory of many accounts.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountIdOf, ourFlow, pollTarget, triggerOf } from './flows'
import { withServices } from './measure'
import { startBenchNodeRed } from './node-red'

const MINUTE = 60_000
/** Rounds that are measured; a node that polls each minute has 60 in an hour. */
const ROUNDS = 12
const AN_HOUR = 60
/** Node-RED writes changed contexts every 30 s; here sooner, so that each round is followed by one write. */
const FLUSH_SECONDS = 1

export interface Written {
  /** MB in an hour, 100 devices that are polled each minute: with 1 new record each, and with nothing new */
  news: number
  nothing: number
}

/** `null` where the operating system does not count what a process writes. */
export const measureWrites = (): Promise<Written | null> =>
  withServices(['poll-100'], async ([service], advance) => {
    if (!service) throw new Error('no service')
    const target = pollTarget('poll-100', service)
    const nodeRed = await startBenchNodeRed(
      ourFlow([target]),
      { [accountIdOf(target)]: service.login },
      {
        contextStorage: { default: { module: 'localfilesystem', config: { flushInterval: FLUSH_SECONDS } } },
      },
    )
    const round = async (messages: number) => {
      await nodeRed.call({ node: triggerOf(target.one), messages: messages + 1, collect: false })
      await sleep(1500 * FLUSH_SECONDS)
    }
    const written = async (minutes: number, messages: number) => {
      const before = writtenBy(nodeRed.pid)
      for (let count = 0; count < ROUNDS; count++) {
        if (minutes > 0) await advance(minutes * MINUTE)
        await round(messages)
      }
      const after = writtenBy(nodeRed.pid)
      return before === null || after === null ? null : ((after - before) / 1e6) * (AN_HOUR / ROUNDS)
    }
    await round(target.devices)
    const news = await written(1, target.devices)
    const nothing = await written(0, 0)
    await nodeRed.stop()
    return news === null || nothing === null ? null : { news, nothing }
  })

/** Bytes that a process has given to the disk; sockets are not counted. */
function writtenBy(pid: number): number | null {
  try {
    return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
  } catch {
    return null
  }
}

const ACCOUNTS = 50

export interface ManyAccounts {
  devices: number
  /** kB of heap per device over the idle flow, after 10 minutes and at the end of the hour */
  first: number
  last: number
  /** Longest stop of the event loop in each round, ms */
  stops: number[]
}

/** 50 accounts of 100 devices each in one Node-RED, which are polled every 10 minutes for an hour. */
export const measureAccounts = (): Promise<ManyAccounts> =>
  withServices(
    Array.from({ length: ACCOUNTS }, () => 'poll-100'),
    async (opened, advance) => {
      const targets = opened.map((service, index) => pollTarget('poll-100', service, `poll-${index}`))
      const logins = Object.fromEntries(targets.map((target) => [accountIdOf(target), target.service.login]))
      const nodeRed = await startBenchNodeRed(ourFlow(targets), logins)
      const count = targets.reduce((sum, { devices }) => sum + devices, 0)
      const idle = await nodeRed.heap()
      const perDevice = async () => ((await nodeRed.heap()) - idle) / count / 1000
      const round = async () =>
        (await nodeRed.call({ node: 'start', messages: count + ACCOUNTS, collect: true })).stop
      await round()
      const stops: number[] = []
      let first = 0
      for (let minute = 10; minute <= AN_HOUR; minute += 10) {
        await advance(10 * MINUTE)
        stops.push(await round())
        if (minute === 10) first = await perDevice()
      }
      const last = await perDevice()
      await nodeRed.stop()
      return { devices: count, first, last, stops }
    },
  )
