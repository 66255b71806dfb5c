import { MEMBER_TIMEOUT_MS, REPLAY_PERIOD_MS } from './store'

/**
 * The Lua scripts of the shared store; each is one atomic step, and gets one JSON argument. Members of other versions
 * use the same data, so the keys and the format of the entries are a contract:
 *
 * - `epoch`: `<instance id> <since, ms> <run id of the server>`
 * - `members`: sorted set of member ids, by when each was last heard of
 * - one hash per limit: id of an entry → `amount state end lasts`. `end` is in ms by the server's clock; `lasts` is how
 *   long the entry lasts at most, so that no entry lasts longer if that clock is set back. State `f`, in flight, lasts
 *   until a lease is over, in case its process dies; state `s`, used, for a window and a margin after the response. Ids
 *   begin with the member's id, up to the first colon. Of two more, `closed` closes the limit, and `others …` is usage
 *   by others as headers showed it.
 */

/** How long an expired entry stays: longer than any request takes by default, whose response may still count it. */
const KEPT_MS = 600_000
/** A month: an account that is no longer used leaves nothing behind. */
const INSTANCE_KEPT_MS = 2_592_000_000
/** Longer than any window: a member that was silent for longer is deleted. */
const MEMBER_KEPT_MS = 90_000_000
const MAX_MEMBERS = 100

const PREAMBLE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local arg = cjson.decode(ARGV[1])

-- Another server process has other data: restarted, or a replica that took over. A server that hides its run id is
-- recognized by the instance id alone.
local function runId()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or '-'
end

local function currentInstance()
  local id, since, of = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%d+) (%S+)$')
  if of == runId() then return id, tonumber(since) end
end

local function extendExpiry(key, lasts)
  if redis.call('PTTL', key) < lasts + ${KEPT_MS} then redis.call('PEXPIRE', key, lasts + ${KEPT_MS}) end
end

local function parse(text)
  local amount, state, ends, lasts = string.match(text or '', '^(%d+) (%a) (%d+) (%d+)$')
  return tonumber(amount), state, tonumber(ends), tonumber(lasts)
end

local function write(key, id, amount, state, ends, lasts)
  redis.call('HSET', key, id, string.format('%.0f %s %.0f %.0f', amount, state, ends, lasts))
end

-- What is used stays used, and only grows: an old call that comes late changes nothing.
local function put(key, id, amount, state, ends, lasts)
  if ends <= now then return end
  local known, was, knownEnds, knownLasts = parse(redis.call('HGET', key, id))
  if was == 's' then
    if state == 'f' then return end
    amount, ends, lasts = math.max(amount, known), math.max(ends, knownEnds), math.max(lasts, knownLasts)
  end
  write(key, id, amount, state, ends, lasts)
  extendExpiry(key, lasts)
end

local function endReservation(key, id)
  local _, state = parse(redis.call('HGET', key, id))
  if state == 'f' then redis.call('HDEL', key, id) end
end

-- The entries that end after an instant: their sum, and their list.
local function entriesAfter(key, since)
  local all, sum, list = redis.call('HGETALL', key), 0, {}
  for i = 1, #all, 2 do
    local id, amount, state, ends, lasts = all[i], parse(all[i + 1])
    if ends > now + lasts then
      ends = now + lasts
      write(key, id, amount, state, ends, lasts)
    end
    if ends <= now - ${KEPT_MS} then redis.call('HDEL', key, id) end
    if ends > since then
      sum = sum + amount
      list[#list + 1] = { id = id, amount = amount, inFlight = state == 'f', ends = ends }
    end
  end
  return sum, list
end
`

/**
 * KEYS: epoch, members. ARGV: a `Heartbeat`, and `candidate`, an instance id for new data.
 * Returns the instance id and its age, then id and age of each member.
 */
export const HEARTBEAT = `${PREAMBLE}
local instance, since = currentInstance()
if not instance then
  instance, since = arg.candidate, now
  redis.call('SET', KEYS[1], string.format('%s %.0f %s', instance, since, runId()))
end
redis.call('PEXPIRE', KEYS[1], ${INSTANCE_KEPT_MS})

if now - since < ${REPLAY_PERIOD_MS} then
  for _, member in ipairs(arg.members) do
    -- It has reported nothing itself since then.
    local at = math.min(now - member.ageMs, since - 1)
    if at > tonumber(redis.call('ZSCORE', KEYS[2], member.id) or 0) then redis.call('ZADD', KEYS[2], at, member.id) end
  end
end
for _, id in ipairs(arg.predecessors) do redis.call('ZREM', KEYS[2], id) end
if arg.reportedTo == instance then redis.call('ZADD', KEYS[2], now, arg.memberId) end
if arg.isLeaving then redis.call('ZREM', KEYS[2], arg.memberId) end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ${MEMBER_KEPT_MS})
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -${MAX_MEMBERS + 1})
redis.call('PEXPIRE', KEYS[2], ${MEMBER_KEPT_MS})

local reply = { instance, math.max(0, now - since) }
local members = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
for i = 1, #members, 2 do
  local at = tonumber(members[i + 1])
  if at > now then
    at = now
    redis.call('ZADD', KEYS[2], at, members[i])
  end
  reply[#reply + 1] = members[i]
  reply[#reply + 1] = math.floor(now - at)
end
return reply
`

/**
 * KEYS: epoch, members, one for each request. ARGV: instanceId, memberId, id, leaseMs, requests.
 * Returns {1, granted, total, …}, {0, wait, index of the request that cannot be met, total, in flight}, or {-1} if the
 * instance is another one. The share of silent members, which may be using it without the store, is reserved for them.
 */
export const RESERVE = `${PREAMBLE}
local instance, since = currentInstance()
if instance ~= arg.instanceId then return { -1 } end
redis.call('ZADD', KEYS[2], now, arg.memberId)
local members = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')

local function reserveForSilent(request, list)
  local count, silent, used = 0, {}, {}
  for i = 1, #members, 2 do
    local at = tonumber(members[i + 1])
    if now - at < math.max(request.occupiedMs, ${MEMBER_TIMEOUT_MS}) then count = count + 1 end
    local isSilent = now - at >= ${MEMBER_TIMEOUT_MS} or at < since
    if isSilent and now - at < request.occupiedMs then silent[members[i]] = at + request.occupiedMs end
  end
  for _, entry in ipairs(list) do
    local by = string.match(entry.id, '^(.-):')
    if by then used[by] = (used[by] or 0) + entry.amount end
  end
  local share, sum = math.max(1, math.floor(request.limit / math.max(2, count))), 0
  for member, ends in pairs(silent) do
    local left = share - (used[member] or 0)
    if left > 0 then
      sum = sum + left
      list[#list + 1] = { id = '', amount = left, inFlight = false, ends = ends }
    end
  end
  return sum
end

local reply = { 1 }
-- A replay may have reported it before it was granted.
for i in ipairs(arg.requests) do endReservation(KEYS[i + 2], arg.id) end
for i, request in ipairs(arg.requests) do
  local total, list = entriesAfter(KEYS[i + 2], now)
  for _, entry in ipairs(list) do
    if entry.id == 'closed' then return { 0, math.ceil(entry.ends - now), i - 1, total, 0 } end
  end
  local reserved = reserveForSilent(request, list)
  total = total + reserved
  local missing = math.min(request.minimum, math.max(1, request.limit - reserved)) - (request.limit - total)
  if missing > 0 then
    table.sort(list, function(one, other) return one.ends < other.ends end)
    local wait, inFlight = request.occupiedMs, 0
    for _, entry in ipairs(list) do
      if missing > 0 then wait = entry.inFlight and request.occupiedMs or entry.ends - now end
      missing = missing - entry.amount
      if entry.inFlight then inFlight = 1 end
    end
    return { 0, math.ceil(wait), i - 1, total, inFlight }
  end
  local granted = math.min(request.wanted, request.limit - total)
  reply[#reply + 1] = granted
  reply[#reply + 1] = total + granted
end
for i, request in ipairs(arg.requests) do
  local lasts = arg.leaseMs + request.occupiedMs
  put(KEYS[i + 2], arg.id, reply[2 * i], 'f', now + lasts, lasts)
end
return reply
`

/**
 * KEYS: epoch, one for each limit. ARGV: instanceId, id, commits (remaining -1: not reported).
 * Returns 0 if the instance is another one, else 1.
 */
export const COMMIT = `${PREAMBLE}
if currentInstance() ~= arg.instanceId then return 0 end
for i, one in ipairs(arg.commits) do
  local key, lasts, used = KEYS[i + 1], one.occupiedMs, one.used
  endReservation(key, arg.id)
  if used then put(key, used.id, used.amount, 's', now + lasts - used.ageMs, lasts) end
  if one.remaining >= 0 then
    local others = one.limit - one.remaining - entriesAfter(key, now - one.flightMs)
    if others > 0 then put(key, 'others ' .. arg.id, others, 's', now + lasts, lasts) end
  end
  if one.closedMs > 0 then put(key, 'closed', 0, 's', now + one.closedMs, one.closedMs) end
end
return 1
`

/**
 * KEYS: epoch, one for each limit. ARGV: instanceId, leaseMs, replays.
 * Returns 0 if the instance is another one, else 1.
 */
export const REPLAY = `${PREAMBLE}
if currentInstance() ~= arg.instanceId then return 0 end
for i, replay in ipairs(arg.replays) do
  local key, lasts = KEYS[i + 1], replay.occupiedMs
  for _, id in ipairs(replay.ended) do endReservation(key, id) end
  for _, entry in ipairs(replay.used) do put(key, entry.id, entry.amount, 's', now + lasts - entry.ageMs, lasts) end
  for _, entry in ipairs(replay.inFlight) do
    local leased = arg.leaseMs + lasts
    put(key, entry.id, entry.amount, 'f', now + leased, leased)
  end
  if replay.closedMs > 0 then put(key, 'closed', 0, 's', now + replay.closedMs, replay.closedMs) end
end
return 1
`
