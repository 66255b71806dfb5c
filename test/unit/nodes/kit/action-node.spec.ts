import assert from 'node:assert/strict'
import type { NodeMessage } from 'node-red'
import { onAbort } from '../../../../src/lib/abort'
import { EnvlogError } from '../../../../src/lib/errors'
import { ActionNode } from '../../../../src/nodes/kit/action/action-node'
import type { Run } from '../../../../src/nodes/kit/action/run'
import { MAX_WAITING_TRIGGERS } from '../../../../src/nodes/kit/action/trigger-queue'
import { registry } from '../../../../src/nodes/kit/state/process-registry'
import { useFakeTimers } from '../../lib/api/setup'
import { never } from '../../lib/responses'

const SECOND = 1000
const HOUR = 3600 * SECOND

describe('a node that repeats every 90 seconds', () => {
  const timers = useFakeTimers()
  const { random } = Math
  beforeEach(() => {
    // The first trigger is after three seconds.
    Math.random = () => 0.5
  })
  afterEach(() => {
    Math.random = random
    registry.clear()
  })

  /** @param work what each trigger does */
  function start(work: (run: Run<'envlog-range'>) => Promise<void> = async () => {}) {
    const store = { place: '', load: async () => undefined, save: async () => {} }
    const account = { id: 'account', monotonic: () => performance.now(), devices: {}, quota: {} }
    const config = { type: 'envlog-account', acquire: () => ({ account, store }) }
    /** The times since which requests fail, as statuses show them. */
    const since: string[] = []
    const RED = {
      _(key: string, params: { since?: string } = {}) {
        if (params.since) since.push(params.since)
        return key
      },
      nodes: { getNode: () => config },
    }
    const starts: number[] = []
    /** How the node's own triggers ended. */
    const ends: Promise<unknown>[] = []
    const receive = (msg: NodeMessage) => {
      starts.push(Date.now())
      ends.push(send(msg))
    }
    const node = { id: 'node', status() {}, receive }
    const settings = { account: 'account', repeat: 90, from: '2026-11-20', to: '2026-11-21' }
    const action = new ActionNode(RED as never, node as never, settings as never, {
      ...{ type: 'envlog-range', unit: 'records', run: work },
    })
    /** @returns the error of the trigger */
    const send = (msg: NodeMessage = {}) =>
      action.receive({ msg, send() {} }).then(
        () => undefined,
        (error: EnvlogError) => error.code,
      )
    return { action, starts, ends, since, send }
  }

  /** Ends when the node is closed. */
  const endless = ({ deployed: { signal } }: Run<'envlog-range'>) =>
    new Promise<void>((_, reject) => onAbort(signal, () => reject(new EnvlogError('closed')), never))

  it('triggers itself after 90 seconds', async () => {
    const { action, starts } = start()
    // In steps, because a trigger ends only after some turns of the event loop.
    for (let second = 0; second < 200; second++) await timers().tickAsync(SECOND)
    const [first = 0, ...others] = starts.map((start) => Math.round(start / SECOND))
    assert.deepEqual(others, [first + 90, first + 180])
    await action.close()
  })

  it('tells the running trigger when the next one is due, so that it stops fetching missing records', async () => {
    const runs: Run<'envlog-range'>[] = []
    const { action, starts } = start((run) => {
      runs.push(run)
      return endless(run)
    })
    await timers().tickAsync(5 * SECOND)
    const [first = 0] = starts
    const isInterrupted = () => runs[0]?.interrupt.aborted
    await timers().tickAsync(first + 89 * SECOND - Date.now())
    assert.equal(isInterrupted(), false)
    await timers().tickAsync(2 * SECOND)
    assert.equal(isInterrupted(), true)
    await action.close()
  })

  it('shows since when it fails, from the first failure after a success on', async () => {
    let fails = true
    const { action, send, since } = start(async () => {
      if (fails) throw new EnvlogError('no-connection')
    })
    const trigger = async (isFailing: boolean) => {
      fails = isFailing
      await send()
      await timers().tickAsync(HOUR)
      return since.at(-1)
    }
    const shown = [await trigger(true), await trigger(true), await trigger(false), await trigger(true)]
    assert.equal(shown[1], shown[0])
    assert.notEqual(shown[3], shown[0])
    await action.close()
  })

  it('leaves out its own trigger, without an error, if a hundred messages wait, which do the same work', async () => {
    const { action, send, ends } = start(endless)
    const sent = Array.from({ length: MAX_WAITING_TRIGGERS + 1 }, () => send())
    await timers().tickAsync(5 * SECOND)
    assert.deepEqual([await Promise.all(ends), await send()], [[undefined], 'ENVLOG_BUSY'])
    await action.close()
    await Promise.all(sent)
  })

  it('reports no failure if it is closed during its own trigger', async () => {
    const { action, ends } = start(endless)
    await timers().tickAsync(5 * SECOND)
    await action.close()
    assert.deepEqual(await Promise.all(ends), [undefined])
    const other = start(endless)
    const sent = other.send()
    await other.action.close()
    assert.equal(await sent, 'ENVLOG_CLOSED')
  })
})
