import { MEMBER_TIMEOUT_MS, REPLAY_PERIOD_MS } from './store'

/**
 * What the ledger does in one step. A limit is a hash: id of an entry → `amount state end lasts`, with the end by the
 * ledger's own clock in ms, and how long it lasts at most: a clock that is set back makes none of them last longer. In
 * flight (`f`) an entry holds until a lease is over, should its process die; spent (`s`) a window and a margin after the
 * answer. Ids begin with the member's, up to the first colon. Each script gets one JSON argument.
 */

/** How long a released entry stays: longer than any answer takes by default, which may still count it. */
const KEPT_MS = 600_000

/** A month: an account that nobody uses any more leaves nothing behind. */
const EPOCH_MS = 2_592_000_000

/** Longer than any window: who was silent for so long counts for nothing. */
const MEMBER_MS = 90_000_000
const MOST_MEMBERS = 100

const PREAMBLE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local arg = cjson.decode(ARGV[1])

-- Another process has other data: started anew, or a copy that took over. Where it does not say, the epoch alone tells.
local function instance()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or '-'
end

local function currentEpoch()
  local epoch, since, of = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%d+) (%S+)$')
  if of == instance() then return epoch, tonumber(since) end
end

local function expireLate(key, lasts)
  if redis.call('PTTL', key) < lasts + ${KEPT_MS} then redis.call('PEXPIRE', key, lasts + ${KEPT_MS}) end
end

local function parse(text)
  local amount, state, ends, lasts = string.match(text or '', '^(%d+) (%a) (%d+) (%d+)$')
  return tonumber(amount), state, tonumber(ends), tonumber(lasts)
end

local function write(key, id, amount, state, ends, lasts)
  redis.call('HSET', key, id, string.format('%.0f %s %.0f %.0f', amount, state, ends, lasts))
end

-- What is spent stays spent, and grows only: an old call that comes late changes nothing.
local function put(key, id, amount, state, ends, lasts)
  if ends <= now then return end
  local known, was, knownEnds, knownLasts = parse(redis.call('HGET', key, id))
  if was == 's' then
    if state == 'f' then return end
    amount, ends, lasts = math.max(amount, known), math.max(ends, knownEnds), math.max(lasts, knownLasts)
  end
  write(key, id, amount, state, ends, lasts)
  expireLate(key, lasts)
end

local function release(key, id)
  local _, state = parse(redis.call('HGET', key, id))
  if state == 'f' then redis.call('HDEL', key, id) end
end

-- What ends after an instant: how much in all, and its entries.
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

/** KEYS: epoch, members. ARGV: a `Heartbeat` and a name to begin with. Gives epoch, its age, then id and age of each member. */
export const HELLO = `${PREAMBLE}
local epoch, since = currentEpoch()
if not epoch then
  epoch, since = arg.candidate, now
  redis.call('SET', KEYS[1], string.format('%s %.0f %s', epoch, since, instance()))
end
redis.call('PEXPIRE', KEYS[1], ${EPOCH_MS})

if now - since < ${REPLAY_PERIOD_MS} then
  for _, peer in ipairs(arg.peers) do
    -- It has told nothing itself since then.
    local at = math.min(now - peer.ageMs, since - 1)
    if at > tonumber(redis.call('ZSCORE', KEYS[2], peer.id) or 0) then redis.call('ZADD', KEYS[2], at, peer.id) end
  end
end
for _, id in ipairs(arg.predecessors) do redis.call('ZREM', KEYS[2], id) end
if arg.toldTo == epoch then redis.call('ZADD', KEYS[2], now, arg.member) end
if arg.isLeaving then redis.call('ZREM', KEYS[2], arg.member) end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ${MEMBER_MS})
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -${MOST_MEMBERS + 1})
redis.call('PEXPIRE', KEYS[2], ${MEMBER_MS})

local answer = { epoch, math.max(0, now - since) }
local members = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
for i = 1, #members, 2 do
  local at = tonumber(members[i + 1])
  if at > now then
    at = now
    redis.call('ZADD', KEYS[2], at, members[i])
  end
  answer[#answer + 1] = members[i]
  answer[#answer + 1] = math.floor(now - at)
end
return answer
`

/**
 * KEYS: epoch, members, one for each claim. ARGV: epoch, member, id, leaseMs, claims. Gives {1, taken, spent, …},
 * {0, wait, short, spent, in flight}, or {-1} where the epoch is another one. What silent members may be spending
 * by themselves, a share of each limit, is left to them.
 */
export const CLAIM = `${PREAMBLE}
local epoch, since = currentEpoch()
if epoch ~= arg.epoch then return { -1 } end
redis.call('ZADD', KEYS[2], now, arg.member)
local members = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')

local function leaveToSilent(claim, list)
  local count, silent, spent = 0, {}, {}
  for i = 1, #members, 2 do
    local at = tonumber(members[i + 1])
    if now - at < math.max(claim.occupiedMs, ${MEMBER_TIMEOUT_MS}) then count = count + 1 end
    local isSilent = now - at >= ${MEMBER_TIMEOUT_MS} or at < since
    if isSilent and now - at < claim.occupiedMs then silent[members[i]] = at + claim.occupiedMs end
  end
  for _, entry in ipairs(list) do
    local by = string.match(entry.id, '^(.-):')
    if by then spent[by] = (spent[by] or 0) + entry.amount end
  end
  local share, sum = math.max(1, math.floor(claim.limit / math.max(2, count))), 0
  for member, ends in pairs(silent) do
    local left = share - (spent[member] or 0)
    if left > 0 then
      sum = sum + left
      list[#list + 1] = { id = '', amount = left, inFlight = false, ends = ends }
    end
  end
  return sum
end

local answer = { 1 }
-- A replay may have told of it before it was allowed.
for i in ipairs(arg.claims) do release(KEYS[i + 2], arg.id) end
for i, claim in ipairs(arg.claims) do
  local sum, list = entriesAfter(KEYS[i + 2], now)
  for _, entry in ipairs(list) do
    if entry.id == 'closed' then return { 0, math.ceil(entry.ends - now), i - 1, sum, 0 } end
  end
  local reserved = leaveToSilent(claim, list)
  sum = sum + reserved
  local missing = math.min(claim.least, math.max(1, claim.limit - reserved)) - (claim.limit - sum)
  if missing > 0 then
    table.sort(list, function(one, other) return one.ends < other.ends end)
    local wait, inFlight = claim.occupiedMs, 0
    for _, entry in ipairs(list) do
      if missing > 0 then wait = entry.inFlight and claim.occupiedMs or entry.ends - now end
      missing = missing - entry.amount
      if entry.inFlight then inFlight = 1 end
    end
    return { 0, math.ceil(wait), i - 1, sum, inFlight }
  end
  local taken = math.min(claim.wanted, claim.limit - sum)
  answer[#answer + 1] = taken
  answer[#answer + 1] = sum + taken
end
for i, claim in ipairs(arg.claims) do
  local lasts = arg.leaseMs + claim.occupiedMs
  put(KEYS[i + 2], arg.id, answer[2 * i], 'f', now + lasts, lasts)
end
return answer
`

/** KEYS: epoch, one for each limit. ARGV: epoch, id, settled (remaining -1: not told). Gives 0 where the epoch is another one. */
export const SETTLE = `${PREAMBLE}
if currentEpoch() ~= arg.epoch then return 0 end
for i, one in ipairs(arg.settled) do
  local key, held = KEYS[i + 1], one.occupiedMs
  release(key, arg.id)
  if one.spent then put(key, one.spent.id, one.spent.amount, 's', now + held - one.spent.ageMs, held) end
  if one.remaining >= 0 then
    local others = one.limit - one.remaining - entriesAfter(key, now - one.flightMs)
    if others > 0 then put(key, 'others ' .. arg.id, others, 's', now + held, held) end
  end
  if one.closedMs > 0 then put(key, 'closed', 0, 's', now + one.closedMs, one.closedMs) end
end
return 1
`

/** KEYS: epoch, one for each limit. ARGV: epoch, leaseMs, usages. Gives 0 where the epoch is another one. */
export const REPLAY = `${PREAMBLE}
if currentEpoch() ~= arg.epoch then return 0 end
for i, usage in ipairs(arg.usages) do
  local key, held = KEYS[i + 1], usage.occupiedMs
  for _, id in ipairs(usage.ended) do release(key, id) end
  for _, entry in ipairs(usage.spent) do put(key, entry.id, entry.amount, 's', now + held - entry.ageMs, held) end
  for _, entry in ipairs(usage.inFlight) do
    local lasts = arg.leaseMs + held
    put(key, entry.id, entry.amount, 'f', now + lasts, lasts)
  end
  if usage.closedMs > 0 then put(key, 'closed', 0, 's', now + usage.closedMs, usage.closedMs) end
end
return 1
`
