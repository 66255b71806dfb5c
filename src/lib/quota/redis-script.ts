/** Two days: longer than any window. Data that is not used for that long expires. */
const KEPT_MS = 172_800_000

/**
 * The Lua script for a quota that is shared through Redis or Valkey. Each process replaces its own part of some limits,
 * and reads those of all, in one atomic step. Processes of other versions use the same data, so it is a contract:
 *
 * - `epoch`: `<id> <since, ms> <run id of the server>`. If it is missing, or the run id differs, the data was lost: a
 *   server that was restarted, or a replica that took over, may lack the latest parts.
 * - one hash per limit: process → `<written, ms> <part as JSON>` (`Part` in `window.ts`), and `version` → `v<id>` of the
 *   last change.
 *
 * KEYS: epoch, and one per limit. ARGV: the expected epoch, or blank if any will do; an id for this change; the process;
 * and for each limit the expected version, or `*`, and the part. If a version differs, nothing is written.
 *
 * Returns the epoch, its age in ms, the time in ms, 1 if the parts were written, and the contents of each hash; `null`
 * if the data was lost. All instants are by the server's clock. The epoch is written each time, which also shows that
 * the server is writable.
 */
export const EXCHANGE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local expected, change, process = ARGV[1], ARGV[2], ARGV[3]

local info = redis.pcall('INFO', 'server')
local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or '-'
local epoch, since, of = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%d+) (%S+)$')
if of ~= run then epoch, since = nil, now end
if expected ~= '' and epoch ~= expected then return false end
epoch = epoch or change
redis.call('SET', KEYS[1], string.format('%s %.0f %s', epoch, since, run), 'PX', ${KEPT_MS})

local isCurrent = 1
for i = 2, #KEYS do
  local version = ARGV[2 * i]
  if version ~= '*' and version ~= (redis.call('HGET', KEYS[i], 'version') or '') then isCurrent = 0 end
end
local reply = { epoch, math.max(0, now - since), now, isCurrent }
for i = 2, #KEYS do
  local key = KEYS[i]
  if isCurrent == 1 then
    redis.call('HSET', key, process, string.format('%.0f ', now) .. ARGV[2 * i + 1], 'version', 'v' .. change)
    redis.call('PEXPIRE', key, ${KEPT_MS})
  end
  local all = redis.call('HGETALL', key)
  for j = 1, #all, 2 do
    local written = tonumber(string.match(all[j + 1], '^%d+'))
    if written and written < now - ${KEPT_MS} then redis.call('HDEL', key, all[j]) end
  end
  reply[#reply + 1] = all
end
return reply
`
