import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Choice, type Chosen, type ChosenDevice } from '../../../src/editor/picker/choice'
import { isFound, type Kind, treeOf, withBaseUnits } from '../../../src/editor/picker/device-tree'
import { parseChosen } from '../../../src/editor/picker/parse-chosen'
import { useFakeRed } from '../../support/fake-red'
import { listedDevice } from '../../support/listed-device'

const serial = fc.stringMatching(/^[0-9A-Z]{8}$/)
/** Few values, so that they are often equal. */
const known = fc.constantFrom('52A10001', '52A10002', '52C10008')
const chosen: fc.Arbitrary<ChosenDevice> = fc.oneof(
  known.map((one) => ({ serial: one })),
  fc.tuple(known, fc.constantFrom('5F0A1001', '5F0A1002')).map(([one, base]) => ({ serial: one, base })),
)

const rackA = listedDevice('52C10008', { name: 'Rack A', base: '5F0A1001', group: 'Racks' })
const truck = listedDevice('52C10008', { name: 'Freezer truck', base: '5F0A1002' })
const room2 = listedDevice('52A10001', { name: 'Room 2' })
const room10 = listedDevice('52A10002', { name: 'Room 10', model: 'M-700' })
const fleet = [room10, rackA, truck, room2]

describe('the choice of devices', () => {
  it('contains each item once, in the order chosen, and distinguishes base units', () => {
    const [office, depot] = ['5F0A1001', '5F0A1004'].map((base) => ({ serial: '52C10008', base }))
    assert.ok(office && depot)
    const choice = new Choice([office, { serial: '52A10001' }, { unit: '5F0A1001' }, office])
    assert.ok(!choice.has(depot) && !choice.has({ group: '5F0A1001' }) && choice.has({ serial: '52C10008' }))
    choice.add(depot)
    choice.remove(office)
    assert.deepEqual(choice.items, [{ serial: '52A10001' }, { unit: '5F0A1001' }, depot])
  })

  it('keeps the other device with a serial that was chosen without a base unit', () => {
    const listed = ['5F0A1001', '5F0A1004'].map((base) => ({ serial: '52C10008', base }))
    const [office, depot] = listed as [ChosenDevice, ChosenDevice]
    const choice = new Choice([{ serial: '52C10008' }])
    choice.remove(office, listed)
    assert.deepEqual(choice.items, [depot])
    choice.remove(depot, listed)
    assert.deepEqual(choice.items, [])
  })

  it('contains everything that was added and not removed afterwards', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), chosen))
    fc.assert(
      fc.property(steps, (all) => {
        const choice = new Choice([])
        for (const [add, device] of all) {
          if (add) choice.add(device)
          else choice.remove(device)
          assert.equal(choice.has(device), add)
        }
        assert.deepEqual(new Choice(choice.items).items, choice.items)
      }),
    )
  })
})

describe('the tree of devices', () => {
  useFakeRed('ja')

  const shape = (kind: Kind, list: readonly Chosen[] = []) =>
    treeOf(kind, fleet, list).map(({ kind: what, chooses: own, leaves }) => [
      what,
      Object.keys(own ?? {})[0],
      leaves.map(
        ({ device, chooses }) => `${device?.name ?? Object.values(chooses ?? {})[0]}${chooses ? ' ☐' : ''}`,
      ),
    ])

  it('recognizes the serial number of a base unit among typed ones', () => {
    const typed = ['5F0A1001', '52A10001', '5F0A1009'].map((one) => ({ serial: one }))
    const [, room, unknown] = typed
    assert.deepEqual(withBaseUnits(fleet, typed), [{ unit: '5F0A1001' }, room, unknown])
  })

  it('has base units first, then standalone devices, in natural order', () => {
    assert.deepEqual(shape('devices'), [
      ['base', 'unit', ['Rack A ☐']],
      ['base', 'unit', ['Freezer truck ☐']],
      ['standalone', undefined, ['Room 2 ☐', 'Room 10 ☐']],
    ])
  })

  it('has groups with their devices, and no device without a group', () => {
    assert.deepEqual(shape('groups', [{ group: 'Racks' }]), [['group', 'group', ['Rack A']]])
    assert.deepEqual(shape('groups', [{ group: 'Gone' }]).at(-1), ['unlisted', undefined, ['Gone ☐']])
  })

  it('has checkboxes only for base units and standalone devices if base units are chosen', () => {
    assert.deepEqual(shape('bases'), [
      ['base', 'unit', ['Rack A']],
      ['base', 'unit', ['Freezer truck']],
      ['standalone', undefined, ['Room 2 ☐', 'Room 10 ☐']],
    ])
  })

  it('ends with chosen devices that are not in the account', () => {
    const gone = [{ serial: '99999999' }, { serial: '52C10008', base: '5F0A1009' }, { serial: '52C10008' }]
    assert.deepEqual(shape('devices', gone).at(-1), ['unlisted', undefined, ['99999999 ☐', '52C10008 ☐']])
    assert.deepEqual(shape('devices', [{ unit: '5F0A1009' }]).at(-1), ['unlisted', undefined, ['5F0A1009 ☐']])
    assert.deepEqual(shape('bases', [{ unit: '5F0A1001' }]).length, 3)
  })

  it('contains everything that was chosen, regardless of the account', () => {
    fc.assert(
      fc.property(fc.subarray(fleet), fc.array(chosen), (devices, list) => {
        const leaves = treeOf('devices', devices, list).flatMap((branch) => branch.leaves)
        const inTree = new Choice(leaves.flatMap(({ chooses }) => chooses ?? []))
        for (const item of list) assert.ok(inTree.has(item), JSON.stringify(item))
      }),
    )
  })

  it('finds each word in name, serial, model, group, quantity or base unit, in any case', () => {
    const channels = [{ unit: '°C', quantity: 'temperature', value: 4, error: null }]
    const [office] = treeOf('devices', [{ ...rackA, channels }], [])
    const [leaf] = office?.leaves ?? []
    assert.ok(office && leaf)
    for (const text of ['rack', 'RACK a', '52c1', '5f0a1001', 'racks 0008', 'temperature rack', '温度', '']) {
      assert.ok(isFound(text, office, leaf), text)
    }
    assert.ok(!isFound('humidity', office, leaf))
    assert.ok(!isFound('rack truck', office, leaf))
  })
})

describe('typed text', () => {
  it('is parsed as any list of serials with any separators, with or without a base unit', () => {
    const between = fc.stringMatching(/^[\s,;、，；]{1,3}$/)
    const device = fc.oneof(
      serial.map((one) => ({ serial: one })),
      fc.tuple(serial, serial).map(([one, base]) => ({ serial: one, base })),
    )
    fc.assert(
      fc.property(fc.array(device), between, (devices, separator) => {
        const words = devices.map((one) => ('base' in one ? `${one.base}/${one.serial}` : one.serial))
        const parse = (kind: Kind) => parseChosen(kind, words.join(separator))
        assert.deepEqual(parse('devices'), { found: devices, wrong: [] })
        assert.deepEqual(
          parse('bases').found,
          devices.map((one) => ({ unit: one.serial })),
        )
        assert.deepEqual(
          parse('exclude').found,
          devices.map((one) => ({ serial: one.serial })),
        )
      }),
    )
  })

  it('is returned unchanged for words that are not serials', () => {
    const words = ['52A1', '5F0A1001/', '/52C10008', '5F0A1001/52C10008/1', '５２Ａ１０００１']
    assert.deepEqual(parseChosen('devices', words.join(' ')), { found: [], wrong: words })
  })

  it('is parsed as group names, which may contain blanks', () => {
    const { found } = parseChosen('groups', ' Cold chain,\nHall 1、冷蔵室\t')
    assert.deepEqual(
      found,
      ['Cold chain', 'Hall 1', '冷蔵室'].map((group) => ({ group })),
    )
  })
})
