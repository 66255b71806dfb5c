/** Loaded before envlog-check: a terminal on which each text of TYPING is typed at the question that holds its key. */
const { PassThrough } = require('node:stream')

const typing = Object.entries(JSON.parse(process.env.TYPING))
const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
Object.defineProperty(process, 'stdin', { value: stdin })
process.stderr.isTTY = true

const write = process.stderr.write.bind(process.stderr)
process.stderr.write = (text, ...rest) => {
  const at = typing.findIndex(([question]) => String(text).includes(question))
  if (at >= 0) {
    const [[, keys]] = typing.splice(at, 1)
    setImmediate(() => stdin.write(keys))
  }
  return write(text, ...rest)
}
