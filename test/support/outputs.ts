import type { Output, Send } from '../../src/shared/outputs'
import type { ActionName } from './flow-types'

/** A copy of the table *Output × send* in docs/messages.md: the first send is the default. */
export const contract: Record<ActionName, Partial<Record<Output, Send[]>>> = {
  current: {
    readings: ['all', 'device'],
    rows: ['all', 'device', 'each'],
    points: ['all', 'device', 'each'],
    values: ['value'],
    raw: ['answer'],
  },
  latest: {
    readings: ['device', 'each'],
    rows: ['device', 'each'],
    points: ['device', 'each'],
    values: ['value'],
    raw: ['answer'],
    csv: ['answer'],
    csv2: ['answer'],
  },
  range: {
    readings: ['device', 'each', 'chunk'],
    rows: ['device', 'each', 'chunk'],
    points: ['device', 'each', 'chunk'],
    values: ['value'],
    raw: ['answer'],
    csv: ['answer'],
    csv2: ['answer'],
  },
  alerts: {
    readings: ['device', 'each'],
    rows: ['device', 'each'],
    points: ['device', 'each'],
    raw: ['answer'],
  },
}

export interface Pair {
  action: ActionName
  output: Output
  send: Send
}

/** Every pair the contract offers; of one action where it is named. */
export const pairs = (of = Object.keys(contract) as readonly ActionName[]): Pair[] =>
  of.flatMap((action) =>
    Object.entries(contract[action]).flatMap(([output, sends]) =>
      sends.map((send) => ({ action, output: output as Output, send })),
    ),
  )

/** The sends of which a user chooses one; the others are fixed by their output. */
export const CHOSEN = ['all', 'device', 'each', 'chunk'] as const satisfies Send[]

export const CSV_COLUMNS: Record<ActionName, string> = {
  current:
    'time,timestamp,serial,name,model,base,groupname,channel,label,unit,quantity,value,error,dataid,battery,batterylevel,rssi,age,stale',
  latest: 'time,timestamp,serial,name,model,base,groupname,channel,label,unit,quantity,value,error,dataid',
  range: 'time,timestamp,serial,name,model,base,groupname,channel,label,unit,quantity,value,error,dataid',
  alerts: 'time,timestamp,serial,name,model,base,source,channel,label,kind,text',
}

/** Text for databases: characters that they cannot store become U+FFFD. */
export const stored = (text: string) => text.replace(/[\0\p{Cs}]/gu, '\ufffd')

/**
 * A tag also has no control characters, and no spaces and backslashes at its end, which InfluxDB cannot store.
 */
export const storedTag = (text: string) =>
  stored(text)
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[ \\]+$/, '')

/** What other people put into names; to us it is only text. */
export const HOSTILE = [
  '__proto__',
  'constructor',
  'toString',
  'a\nb\r\nc\u0000\u2028',
  '<script>alert("x")</script>&amp;',
  '+/#',
  '$t(errors.closed)',
  '__x__ {{payload}} $(env)',
  '{serial}{channel}$&$1',
  '=1+1,"a";b',
  '𠮷野家 🧊\u{10ffff}',
  '\ufeff ',
  '日本語\u3000名',
  'half \ud83e a pair',
  'ends in \\ \\',
] as const
