/** Reads what a browser that opens the dashboard receives: its socket, with long polling. */

/** Separates the packets of one response (Engine.IO 4). */
const SEPARATOR = '\x1e'

/** What a widget shows in a dashboard that is opened now; `undefined` if it has not received anything yet. */
export async function shownBy<T>(nodeRed: string, widget: string): Promise<T | undefined> {
  const address = `${nodeRed}/dashboard/socket.io/?EIO=4&transport=polling`
  const [opened = ''] = await packets(await fetch(address))
  const { sid } = JSON.parse(opened.slice(1)) as { sid: string }
  const session = `${address}&sid=${sid}`
  const say = (packet: string) => fetch(session, { method: 'POST', body: packet })
  await say('40')
  await say(`42${JSON.stringify(['widget-load', widget, {}])}`)
  for (;;) {
    for (const packet of await packets(await fetch(session))) {
      if (packet === '2') await say('3')
      if (!packet.startsWith('42')) continue
      const [event, shown] = JSON.parse(packet.slice(2)) as [string, T | null]
      if (event !== `widget-load:${widget}`) continue
      await say('1')
      return shown ?? undefined
    }
  }
}

async function packets(response: Response): Promise<string[]> {
  const text = await response.text()
  if (!response.ok) throw new Error(`dashboard: ${response.status} ${text}`)
  return text.split(SEPARATOR)
}
