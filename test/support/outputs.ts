import { OFFERED, type Output, type Send } from '../../src/shared/outputs'
import { type ActionName, actions } from './flow-types'

export interface Pair {
  action: ActionName
  output: Output
  send: Send
}

/** Every pair offered by these actions. */
export const pairs = (of: readonly ActionName[] = actions): Pair[] =>
  of.flatMap((action) =>
    Object.entries(OFFERED[`envlog-${action}`]).flatMap(([output, sends]) =>
      sends.map((send) => ({ action, output: output as Output, send })),
    ),
  )

/** Whether messages contain individual values or texts. */
export const hasFacts = ({ output, send }: Pair) => send !== 'response' && output !== 'statistics'

export const CSV_COLUMNS: Record<ActionName, string> = {
  current:
    'time,timestamp,serial,name,model,base,groupname,channel,label,unit,quantity,value,error,dataid,battery,batterylevel,rssi,age,stale',
  latest: 'time,timestamp,serial,name,model,base,groupname,channel,label,unit,quantity,value,error,dataid',
  range: 'time,timestamp,serial,name,model,base,groupname,channel,label,unit,quantity,value,error,dataid',
  alerts: 'time,timestamp,serial,name,model,base,source,channel,label,unit,quantity,kind,text',
}

export const STATISTICS_COLUMNS =
  'time,localtime,base,serial,name,groupname,channel,label,unit,quantity,count,min,mintime,max,maxtime,mean,mkt,errors,coverage'

/** Text for databases: characters that they cannot store become U+FFFD. */
export const stored = (text: string) => text.replace(/[\0\p{Cs}]/gu, '\ufffd')

/** A tag also has no control characters, and no trailing spaces and backslashes, which InfluxDB cannot store. */
export const storedTag = (text: string) =>
  stored(text)
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[ \\]+$/, '')

/** Names with a special meaning elsewhere; for us they are plain text. */
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
