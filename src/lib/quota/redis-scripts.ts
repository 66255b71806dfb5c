/**
 * What the ledger does in one step. A limit is a sorted set: its members are `id|amount|state`, scored with the
 * instant of their release by the ledger's own clock, and stay a while after it: an answer on its way may still
 * count them. In flight (`f`) they hold until a lease is over, should
 * their process die; settled (`s`) a window and a margin after the answer.
 */

/** How long a released entry stays: longer than any answer takes by default. */
const KEPT_MS = 600_000

/** A month: an account that nobody uses any more leaves nothing behind. */
const EPOCH_MS = 2_592_000_000

const PREAMBLE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function spent(key, since)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - ${KEPT_MS})
  local entries = redis.call('ZRANGEBYSCORE', key, '(' .. string.format('%.0f', since), '+inf', 'WITHSCORES')
  local sum, list = 0, {}
  for i = 1, #entries, 2 do
    local amount, state = string.match(entries[i], '|(%d+)|(%a)$')
    sum = sum + tonumber(amount)
    list[#list + 1] = { amount = tonumber(amount), flying = state == 'f', ends = tonumber(entries[i + 1]) }
  end
  return sum, list
end
local function put(key, member, ends, lasts)
  redis.call('ZADD', key, ends, member)
  if redis.call('PTTL', key) < lasts + ${KEPT_MS} then redis.call('PEXPIRE', key, lasts + ${KEPT_MS}) end
end
`

/** ARGV: id, lease; for each key wanted, least, limit, held. Gives {1, taken, spent, …} or {0, wait, short, spent, flying}. */
export const CLAIM = `${PREAMBLE}
local id, lease = ARGV[1], tonumber(ARGV[2])
local answer = { 1 }
for i, key in ipairs(KEYS) do
  local wanted, least = tonumber(ARGV[4 * i - 1]), tonumber(ARGV[4 * i])
  local limit, held = tonumber(ARGV[4 * i + 1]), tonumber(ARGV[4 * i + 2])
  local sum, list = spent(key, now)
  local refused = redis.call('ZSCORE', key, 'refused|0|s')
  if refused and tonumber(refused) > now then return { 0, math.ceil(refused - now), i - 1, sum, 0 } end
  local missing = least - (limit - sum)
  if missing > 0 then
    local wait, flying = held, 0
    for _, entry in ipairs(list) do
      if missing > 0 then wait = entry.flying and held or entry.ends - now end
      missing = missing - entry.amount
      if entry.flying then flying = 1 end
    end
    return { 0, math.ceil(wait), i - 1, sum, flying }
  end
  local taken = math.min(wanted, limit - sum)
  answer[#answer + 1] = taken
  answer[#answer + 1] = sum + taken
end
for i, key in ipairs(KEYS) do
  local lasts = lease + tonumber(ARGV[4 * i + 2])
  put(key, id .. '|' .. answer[2 * i] .. '|f', now + lasts, lasts)
end
return answer
`

/**
 * ARGV: id, age; for each key taken, used, limit, held, remaining (-1: not told), refused (0 or 1), flight. Where its
 * claim was not answered in time, other than what it thinks may have been taken.
 */
export const SETTLE = `${PREAMBLE}
local function release(key, id, taken)
  if redis.call('ZREM', key, id .. '|' .. taken .. '|f') == 1 then return end
  for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    local of, state = string.match(member, '^(.-)|%d+|(%a)$')
    if of == id and state == 'f' then redis.call('ZREM', key, member) end
  end
end
local id, age = ARGV[1], tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  local at = 7 * i - 4
  local taken, used, limit = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local held, remaining = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  release(key, id, taken)
  local ends = now + held - age
  if used > 0 then put(key, id .. '|' .. used .. '|s', ends, held) end
  local others = limit - remaining - spent(key, now - tonumber(ARGV[at + 6]))
  if remaining >= 0 and others > 0 and age == 0 then put(key, 'others ' .. id .. '|' .. others .. '|s', ends, held) end
  if ARGV[at + 5] == '1' then put(key, 'refused|0|s', ends, held) end
end
`

/** ARGV: id, held; then age and amount in turn. */
export const CATCH_UP = `${PREAMBLE}
local held = tonumber(ARGV[2])
for i = 3, #ARGV, 2 do
  local ends = now + held - tonumber(ARGV[i])
  if ends > now then put(KEYS[1], ARGV[1] .. ' ' .. i .. '|' .. ARGV[i + 1] .. '|s', ends, held) end
end
`

/** ARGV: an epoch to begin with. Gives the one it has: another one than before, and it lost what it held. */
export const EPOCH = `
local epoch = redis.call('GET', KEYS[1])
if not epoch then
  epoch = ARGV[1]
  redis.call('SET', KEYS[1], epoch)
end
redis.call('PEXPIRE', KEYS[1], ${EPOCH_MS})
return epoch
`
