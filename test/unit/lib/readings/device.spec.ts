import assert from 'node:assert/strict'
import { isRemoteUnit } from '../../../../src/lib/readings/device'
import { BASE, currentDevice, currentEnvelope } from '../responses'

describe('a remote unit', () => {
  it('has a base unit other than itself', () => {
    const bases = [BASE, { ...BASE, serial: '5212A1B2' }, []]
    const { devices } = currentEnvelope(...bases.map((baseunit) => currentDevice({ baseunit })))
    assert.deepEqual(devices.map(isRemoteUnit), [true, false, false])
  })
})
