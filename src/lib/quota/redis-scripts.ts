/**
 * The Lua scripts of a quota that is shared through Redis or Valkey; each is one atomic step, and gets one JSON argument.
 * Processes of other versions use the same data, so keys and entries are a contract:
 *
 * - `epoch`: `<id> <since, ms> <run id of the server>`. Without it, or with another run id, the data was lost.
 * - one hash per limit: id of an entry → `<amount> <kind> <ms>`. Kind `f`: in flight, at most until then; `s`: used by a
 *   request that was answered then; `o`: used by others, as headers showed then; `c`: closed until then.
 *
 * All instants are by the server's clock.
 */

/** When to ask again for a permit that is reserved for a request in flight. */
const RETRY_MS = 250
/** Longer than any window and any request: what is older is removed. */
const KEPT_MS = 90_000_000
/** A month: an account that is no longer used leaves nothing behind. */
const EPOCH_KEPT_MS = 2_592_000_000

const COMMON = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local arg = cjson.decode(ARGV[1])

-- A server that was restarted, or a replica that took over, may lack the latest entries.
local function runId()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or '-'
end

local function currentEpoch()
  local id, since, run = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%d+) (%S+)$')
  if run == runId() then return id, tonumber(since) end
end

local function write(key, id, amount, kind, at)
  redis.call('HSET', key, id, string.format('%.0f %s %.0f', amount, kind, at))
  redis.call('PEXPIRE', key, ${KEPT_MS})
end

local function readAll(key)
  local all, entries = redis.call('HGETALL', key), {}
  for i = 1, #all, 2 do
    local amount, kind, at = string.match(all[i + 1], '^(%d+) (%a) (%d+)$')
    -- An instant ahead of the clock is from before the clock was set back.
    local entry = { amount = tonumber(amount), kind = kind, at = tonumber(at) }
    if (kind == 's' or kind == 'o') and entry.at > now then entry.at = now end
    local isOver = (kind == 'f' or kind == 'c') and entry.at <= now or entry.at <= now - ${KEPT_MS}
    if isOver then redis.call('HDEL', key, all[i]) else entries[#entries + 1] = entry end
  end
  return entries
end

-- What a limit holds, and when each part of it will be free: usage of others counts only against a reported limit.
local function heldBy(limit, entries, since)
  local held, inFlight, parts = 0, 0, {}
  for _, entry in ipairs(entries) do
    if entry.kind == 'f' then
      held, inFlight = held + entry.amount, inFlight + entry.amount
    elseif entry.kind == 's' or (entry.kind == 'o' and limit.reported) then
      local freeAt = entry.at + limit.heldMs
      if freeAt > since then
        held = held + entry.amount
        parts[#parts + 1] = { at = freeAt, amount = entry.amount }
      end
    end
  end
  return held, inFlight, parts
end
`

/**
 * KEYS: epoch, one for each need. ARGV: `epoch`, `id`, `leaseMs`, `needs`.
 * Returns {1, granted amounts…, what all hold of the first need}; {0, ms to wait, index of the need that cannot be met}; {-1} if the data was lost.
 *
 * Until an epoch is older than the window, others may not have reported what they used: one request at a time.
 */
export const RESERVE = `${COMMON}
local epoch, since = currentEpoch()
if epoch ~= arg.epoch then return { -1 } end

-- How much of a need there is, or how long to wait for the least that is needed.
local function available(need, entries, isEndpoint)
  local amount, wait = need.wanted, 0
  for _, entry in ipairs(entries) do
    if entry.kind == 'c' then wait = entry.at - now end
  end
  for _, limit in ipairs(need.limits) do
    local held, inFlight, parts = heldBy(limit, entries, now)
    if inFlight > 0 and isEndpoint and now - since < limit.heldMs then wait = math.max(wait, ${RETRY_MS}) end
    amount = math.min(amount, limit.limit - held)
    local missing = math.min(need.minimum, limit.limit) - (limit.limit - held)
    if missing > 0 then
      local freeAt = now + limit.heldMs
      table.sort(parts, function(one, other) return one.at < other.at end)
      for _, part in ipairs(parts) do
        missing = missing - part.amount
        if missing <= 0 then
          freeAt = part.at
          break
        end
      end
      wait = math.max(wait, inFlight > 0 and math.min(freeAt - now, ${RETRY_MS}) or freeAt - now)
    end
  end
  return amount, wait
end

local reply = { 1 }
for i, need in ipairs(arg.needs) do
  local amount, wait = available(need, readAll(KEYS[i + 1]), i == 1)
  if wait > 0 then return { 0, math.ceil(wait), i - 1 } end
  reply[i + 1] = amount
end
for i in ipairs(arg.needs) do write(KEYS[i + 1], arg.id, reply[i + 1], 'f', now + arg.leaseMs) end
reply[#reply + 1] = heldBy(arg.needs[1].limits[1], readAll(KEYS[2]), now)
return reply
`

/**
 * KEYS: epoch, one for each use. ARGV: `epoch`, `id`, `uses`. A `remaining` of -1: the service did not report it.
 * Returns 1, or -1 if the data was lost.
 */
export const SETTLE = `${COMMON}
if currentEpoch() ~= arg.epoch then return -1 end
for i, use in ipairs(arg.uses) do
  local key = KEYS[i + 1]
  if use.used > 0 then write(key, arg.id, use.used, 's', now) else redis.call('HDEL', key, arg.id) end
  if use.remaining >= 0 then
    -- What expired while the request was in flight may still have been counted.
    local limit = { heldMs = use.heldMs, reported = true }
    local others = use.limit - use.remaining - heldBy(limit, readAll(key), now - use.flightMs)
    if others > 0 then write(key, 'others ' .. arg.id, others, 'o', now) end
  end
  if use.closedMs > 0 then write(key, 'closed', 0, 'c', now + use.closedMs) end
end
return 1
`

/**
 * KEYS: epoch, one for each part. ARGV: `candidate` for a new epoch, `parts` with all entries of a process: `id`,
 * `amount`, and `ageMs` or, in flight, `leaseMs`. An amount of 0 is nothing any more.
 * Returns the epoch.
 */
export const REPORT = `${COMMON}
local epoch = currentEpoch()
if not epoch then
  epoch = arg.candidate
  redis.call('SET', KEYS[1], string.format('%s %.0f %s', epoch, now, runId()))
end
redis.call('PEXPIRE', KEYS[1], ${EPOCH_KEPT_MS})
for i, part in ipairs(arg.parts) do
  for _, entry in ipairs(part) do
    if entry.amount == 0 then
      redis.call('HDEL', KEYS[i + 1], entry.id)
    elseif entry.leaseMs then
      write(KEYS[i + 1], entry.id, entry.amount, 'f', now + entry.leaseMs)
    else
      write(KEYS[i + 1], entry.id, entry.amount, 's', now - entry.ageMs)
    end
  end
end
return epoch
`
