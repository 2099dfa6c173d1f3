import { script } from "./connection.ts";
import { CLOCK, SAME_STORE } from "./journal-scripts.ts";

/** KEYS: mark, known, seq, waiting. ARGV: mark, row prefix, id, conversation, text, dueAt or ''. */
export const PUT = script(`${SAME_STORE}${CLOCK}
if redis.call('SADD', KEYS[2], ARGV[3]) == 0 then return 0 end
local due = ARGV[6] == '' and int(now) or ARGV[6]
local member = string.format('%016.0f', redis.call('INCR', KEYS[3])) .. ':' .. ARGV[3]
redis.call('ZADD', KEYS[4], due, member)
redis.call('HSET', ARGV[2] .. ARGV[3],
  'member', member, 'conversation', ARGV[4], 'data', ARGV[5], 'due', due, 'tries', 0, 'worker', '')
return 1`);

const ROW = `
local function row(id)
  local r = redis.call('HMGET', ARGV[2] .. id, 'conversation', 'data', 'due', 'tries')
  return {id, r[1], r[2], r[3], r[4]}
end
local function id_of(member) return string.sub(member, 18) end`;

/** KEYS: mark, waiting, held. ARGV: mark, row prefix, worker, limit, holdMs. */
export const TAKE = script(`${SAME_STORE}${CLOCK}${ROW}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', int(now))) do
  redis.call('ZREM', KEYS[3], member)
  redis.call('ZADD', KEYS[2], redis.call('HGET', ARGV[2] .. id_of(member), 'due'), member)
end
local taken = {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', int(now), 'LIMIT', 0, ARGV[4])) do
  local id = id_of(member)
  redis.call('ZREM', KEYS[2], member)
  redis.call('ZADD', KEYS[3], int(now + ARGV[5]), member)
  redis.call('HSET', ARGV[2] .. id, 'worker', ARGV[3])
  redis.call('HINCRBY', ARGV[2] .. id, 'tries', 1)
  table.insert(taken, row(id))
end
return taken`);

const MINE = `
local r = redis.call('HMGET', ARGV[2] .. ARGV[3], 'worker', 'member')
if r[1] ~= ARGV[4] then return 0 end
redis.call('ZREM', KEYS[2], r[2])
redis.call('ZREM', KEYS[3], r[2])`;

/** KEYS: mark, waiting, held. ARGV: mark, row prefix, id, worker. */
export const FINISH = script(`${SAME_STORE}${MINE}
redis.call('DEL', ARGV[2] .. ARGV[3])
return 1`);

/** KEYS: mark, waiting, held. ARGV: mark, row prefix, id, worker, dueAt. */
export const DEFER = script(`${SAME_STORE}${MINE}
redis.call('ZADD', KEYS[2], ARGV[5], r[2])
redis.call('HSET', ARGV[2] .. ARGV[3], 'due', ARGV[5], 'worker', '')
return 1`);

/** KEYS: mark, waiting, held. ARGV: mark, row prefix. In no order; the member tells the order of rows due together. */
export const PENDING = script(`${SAME_STORE}${ROW}
local rows = {}
for i = 2, 3 do
  for _, member in ipairs(redis.call('ZRANGE', KEYS[i], 0, -1)) do
    local found = row(id_of(member))
    table.insert(found, member)
    table.insert(rows, found)
  end
end
return rows`);
