/**
 * The Lua scripts for a quota that is shared through Redis or Valkey; each is one atomic step and gets one JSON
 * argument. Processes of other versions use the same data, so keys and entries are a contract:
 *
 * - `epoch`: `<id> <since, ms> <run id of the server>`. If it is missing, or the run id differs, the data was lost.
 * - one hash per endpoint, and per device's records: entry id → `<amount> <kind> <ms> <heldMs>`. Kind `f`: in flight, at
 *   most until then; `s`: used by a request whose response arrived then; `o`: used by others, according to headers then;
 *   `r`: the limit that a response reported then, with its window; `n`: an own limit that a process named then, with its
 *   window, under the id `limit <index> <process>`; `c`: refused then, for the `<amount>`th time in a row, and closed for
 *   `heldMs`; `w`: a process has been waiting since then, until `heldMs` after 1970.
 *
 * All instants are by the server's clock.
 */
import { MAX_WINDOW_SECONDS } from '../../shared/service-limits'
import { createLimit } from '../quota/window'

/** If Redis takes longer than this to respond, it counts as away. */
export const CALL_TIMEOUT_MS = 1000
/** When to ask again for a permit that is reserved for a request in flight. */
const RETRY_MS = 250
/** How long a process that has to ask again keeps its place: until its next call must have arrived. */
const PLACE_MS = CALL_TIMEOUT_MS + RETRY_MS
const MAX_HELD_MS = createLimit(1, MAX_WINDOW_SECONDS).heldMs
/** A month: data of an account that is no longer used expires. */
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
  -- An instant ahead of the clock was written before the clock was set back.
  if run == runId() then return id, math.min(tonumber(since), now) end
end

-- How long the entries of each limit are kept.
local kept = {}

local function write(key, id, amount, kind, at, heldMs)
  redis.call('HSET', key, id, string.format('%.0f %s %.0f %.0f', amount, kind, at, heldMs or 0))
  if kept[key] then redis.call('PEXPIRE', key, string.format('%.0f', kept[key])) end
end

-- Whether it has a limit if its id says so, and a window that a setting or a response can have.
local function isValid(id, entry)
  local isLimit = entry.kind == 'n' or entry.kind == 'r'
  if isLimit ~= (id == 'reported' or string.find(id, '^limit ') ~= nil) then return false end
  local heldMs = entry.heldMs
  local hasWindow = isLimit or entry.kind == 'c'
  return not hasWindow or (entry.amount >= 1 and heldMs >= 1000 and heldMs <= ${MAX_HELD_MS})
end

-- Entries that are not valid are deleted: others wrote them, and they could void a limit, or stay for ever.
local function read(key)
  local all, entries = redis.call('HGETALL', key), {}
  for i = 1, #all, 2 do
    local amount, kind, at, held = string.match(all[i + 1], '^(%d+) (%a) (%d+) (%d+)$')
    local entry = kind and
      { amount = tonumber(amount), kind = kind, at = tonumber(at), heldMs = tonumber(held) }
    if entry and isValid(all[i], entry) then
      entries[all[i]] = entry
    else
      redis.call('HDEL', key, all[i])
    end
  end
  return entries
end

local function longestOf(limits)
  local heldMs = 0
  for _, limit in ipairs(limits) do heldMs = math.max(heldMs, limit.heldMs) end
  return heldMs
end

-- Entries by id. They are kept for the longest window of all limits that apply, plus the time in flight.
local function open(key, own)
  local entries, heldMs = read(key), longestOf(own)
  for _, entry in pairs(entries) do
    local hasWindow = entry.kind == 'n' or entry.kind == 'r' or entry.kind == 'c'
    if hasWindow then heldMs = math.max(heldMs, entry.heldMs) end
  end
  local keptMs = heldMs + arg.leaseMs
  kept[key] = keptMs
  redis.call('PEXPIRE', key, string.format('%.0f', keptMs))
  for id, entry in pairs(entries) do
    local latest = entry.kind == 'f' and now + keptMs or now
    local isChanged = entry.at > latest
    if isChanged then entry.at = latest end
    -- Its process has died: the request may have been sent at any time until then.
    if entry.kind == 'f' and entry.at <= now then entry.kind, isChanged = 's', true end
    if entry.at <= now - keptMs then
      redis.call('HDEL', key, id)
      entries[id] = nil
    elseif isChanged then
      write(key, id, entry.amount, entry.kind, entry.at, entry.heldMs)
    end
  end
  return entries
end

local function isStricter(one, other)
  local rate, otherRate = one.limit / one.heldMs, other.limit / other.heldMs
  return rate < otherRate or (rate == otherRate and one.limit < other.limit)
end

-- Compares the strictest limits first: both lists begin with them.
local function areMoreGenerous(limits, others)
  for i, one in ipairs(limits) do
    if not others[i] or isStricter(one, others[i]) then return false end
    if isStricter(others[i], one) then return true end
  end
  return #limits < #others
end

-- The account's limits: the own limits of a process, unless another one has named more generous ones.
local function accountLimits(key, process, own, entries)
  for i, one in ipairs(own) do write(key, 'limit ' .. i .. ' ' .. process, one.limit, 'n', now, one.heldMs) end
  local ofOthers, account = {}, own
  for id, entry in pairs(entries) do
    local index, name = string.match(id, '^limit (%d+) (.+)$')
    if name and name ~= process then
      ofOthers[name] = ofOthers[name] or {}
      table.insert(ofOthers[name], { limit = entry.amount, heldMs = entry.heldMs })
    elseif name and tonumber(index) > #own then
      redis.call('HDEL', key, id)
    end
  end
  for _, limits in pairs(ofOthers) do
    table.sort(limits, isStricter)
    if areMoreGenerous(limits, account) then account = limits end
  end
  return account
end

-- The occupied part of a limit, and when each entry of it expires.
local function heldBy(limit, entries, since)
  local held, inFlight, parts = 0, 0, {}
  for _, entry in pairs(entries) do
    if entry.kind == 'f' then
      held, inFlight = held + entry.amount, inFlight + entry.amount
    elseif entry.kind == 's' or (entry.kind == 'o' and limit.countsOthers) then
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
 * KEYS: epoch, and one per need: requests, and records. ARGV: `epoch`, `id`, `leaseMs`, `needs`.
 * Returns {1, granted amounts…}; {0, index of the need that cannot be met, ms until it should be asked for again, ms
 * until it is expected to be met}; {-1} if the data was lost.
 * Until an epoch is older than the window, other processes may not have reported their usage: one request at a time.
 * Each process keeps its own limits itself. Here, the limits of the most generous process, of those that have named
 * theirs within the longest window, apply to all of them together.
 * Processes take turns: a denied process keeps its place before later ones, because a process close to the server would
 * otherwise always be faster.
 */
export const RESERVE = `${COMMON}
local epoch, since = currentEpoch()
if epoch ~= arg.epoch then return { -1 } end
local process = string.match(arg.id, '^[^:]*')
local place = 'place ' .. process

-- The account's limits and, for the longest window of them, the limit that the last response reported. A stricter one
-- may still apply after that: then the next request is sent alone.
local function limitsOf(account, entries, isRecords)
  local limits = {}
  for i, one in ipairs(account) do
    local countsOthers = isRecords and i == #account
    limits[i] = { limit = one.limit, heldMs = one.heldMs, countsOthers = countsOthers, till = math.huge }
  end
  local reported = entries.reported
  if not reported then return limits, false end
  local till = reported.at + longestOf(account)
  if till > now then
    limits[#limits + 1] = { limit = reported.amount, heldMs = reported.heldMs, countsOthers = true, till = till }
    return limits, false
  end
  local perMs = reported.amount / reported.heldMs
  for _, one in ipairs(account) do
    if reported.amount >= one.limit and perMs >= one.limit / one.heldMs then return limits, false end
  end
  return limits, true
end

-- Number of processes that have waited longer and are about to ask again.
local function countAhead(entries)
  local own, count = entries[place], 0
  for id, entry in pairs(entries) do
    local isDue = entry.heldMs > now and entry.heldMs - ${PLACE_MS} <= now
    local isOther = entry.kind == 'w' and id ~= place and isDue
    if isOther and (not own or entry.at < own.at) then count = count + 1 end
  end
  return count
end

-- The available part of a need, when to ask again for its minimum, and when that is expected to be available.
local function available(key, need, entries, isRecords)
  local account = accountLimits(key, process, need.limits, entries)
  local limits, isAlone = limitsOf(account, entries, isRecords)
  isAlone = isAlone or (not isRecords and now - since < longestOf(account))
  local ahead = isRecords and 0 or countAhead(entries)
  local amount, retryMs, estimateMs = need.wanted, 0, 0
  local closed = entries.closed
  if closed then
    local mostMs = longestOf(account) * 2 ^ (closed.amount - 1)
    retryMs = math.max(0, closed.at + math.min(closed.heldMs, mostMs) - now)
    estimateMs = retryMs
  end
  for _, limit in ipairs(limits) do
    local held, inFlight, parts = heldBy(limit, entries, now)
    local left = limit.limit - held
    if isAlone and inFlight + ahead > 0 then retryMs = math.max(retryMs, ${RETRY_MS}) end
    if left > 0 and left <= ahead then retryMs = math.max(retryMs, ${RETRY_MS}) end
    amount = math.min(amount, left)
    local missing = math.min(need.minimum, limit.limit) - left
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
      local wait = math.min(freeAt, limit.till) - now
      estimateMs = math.max(estimateMs, wait)
      retryMs = math.max(retryMs, inFlight > 0 and math.min(wait, ${RETRY_MS}) or wait)
    end
  end
  return amount, math.ceil(retryMs), math.ceil(estimateMs)
end

local reply = { 1 }
for i, need in ipairs(arg.needs) do
  local entries = open(KEYS[i + 1], need.limits)
  local amount, retryMs, estimateMs = available(KEYS[i + 1], need, entries, i > 1)
  if retryMs > 0 then
    local waits = entries[place] and entries[place].at or now
    if i == 1 then write(KEYS[2], place, 0, 'w', waits, now + retryMs + ${PLACE_MS}) end
    return { 0, i - 1, retryMs, estimateMs }
  end
  reply[i + 1] = amount
end
redis.call('HDEL', KEYS[2], place)
for i in ipairs(arg.needs) do write(KEYS[i + 1], arg.id, reply[i + 1], 'f', now + arg.leaseMs) end
return reply
`

/**
 * KEYS: epoch, and one per use. ARGV: `epoch`, `id`, `leaseMs`, `needs`, `uses`, `flightMs`. `remaining` is -1 if the
 * service did not report it.
 * Returns 1, or -1 if the data was lost.
 */
export const SETTLE = `${COMMON}
if currentEpoch() ~= arg.epoch then return -1 end
local sentAt = now - arg.flightMs

-- As in Window: requests that were in flight at the same time are one refusal.
local function close(key, closed, own, reported)
  local refusals, windowMs = 1, longestOf(own)
  if closed then refusals = closed.amount + (sentAt > closed.at and 1 or 0) end
  local mostMs = math.max(windowMs, reported and reported.heldMs or 0)
  write(key, 'closed', refusals, 'c', now, math.min(windowMs * 2 ^ (refusals - 1), mostMs))
end

for i, use in ipairs(arg.uses) do
  local key, need = KEYS[i + 1], arg.needs[i]
  local reported = use.reported ~= cjson.null and use.reported
  if use.used > 0 then write(key, arg.id, use.used, 's', now) else redis.call('HDEL', key, arg.id) end
  if reported and i == 1 then write(key, 'reported', reported.limit, 'r', now, reported.heldMs) end
  local entries = open(key, need.limits)
  if reported then
    -- The service may still have counted entries that expired while the request was in flight.
    local limit = { heldMs = reported.heldMs, countsOthers = true }
    local others = reported.limit - use.remaining - heldBy(limit, entries, sentAt)
    if use.remaining >= 0 and others > 0 then write(key, 'others ' .. arg.id, others, 'o', now) end
  end
  local closed = entries.closed
  if use.isClosed then
    close(key, closed, need.limits, entries.reported)
  elseif use.hasResponse and closed and sentAt > closed.at then
    redis.call('HDEL', key, 'closed')
  end
end
return 1
`

/**
 * KEYS: epoch, and one per part. ARGV: `candidate` for a new epoch, `leaseMs`, `process`, `parts` with the own limits of
 * a process and all its entries: `id`, `amount`, and `ageMs`: null if in flight, -1 while Redis is being asked. Any other
 * of its entries in flight were lost on the way, and are deleted.
 * Returns the epoch. It is written each time, which also shows that the server is writable.
 */
export const REPORT = `${COMMON}
local epoch, since = currentEpoch()
if not epoch then epoch, since = arg.candidate, now end
redis.call('SET', KEYS[1], string.format('%s %.0f %s', epoch, since, runId()), 'PX', ${EPOCH_KEPT_MS})
-- Fails here, not at each request, if the user may not run a command that the other scripts need.
write(KEYS[2], 'probe', 0, 'p', now)
redis.call('HDEL', KEYS[2], 'probe')
local prefix = arg.process .. ':'
for i, part in ipairs(arg.parts) do
  local key, listed = KEYS[i + 1], {}
  local known = open(key, part.limits)
  accountLimits(key, arg.process, part.limits, known)
  for _, entry in ipairs(part.entries) do
    listed[entry.id] = true
    if entry.ageMs == cjson.null then
      write(key, entry.id, entry.amount, 'f', now + arg.leaseMs)
    elseif entry.ageMs >= 0 then
      write(key, entry.id, entry.amount, 's', now - entry.ageMs)
    end
  end
  for id, entry in pairs(known) do
    local isOwn = string.sub(id, 1, #prefix) == prefix
    if isOwn and entry.kind == 'f' and not listed[id] then redis.call('HDEL', key, id) end
  end
end
return epoch
`
