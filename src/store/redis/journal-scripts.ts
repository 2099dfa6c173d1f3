import { script } from "./connection.ts";

/** Refuses to go on in a Redis that is not the one that was opened. KEYS[1], ARGV[1]: its mark. */
export const SAME_STORE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return redis.error_reply('OTHERSTORE the schema mark has changed')
end`;

/** The server's clock in ms, and numbers as Redis prints them: Lua would print large ones as 1.7e+12. */
export const CLOCK = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function int(n) return string.format('%.0f', n) end`;

/** What a writer must know to chain its lines: head, number of the first chained line, time of the upgrade. */
const CHAIN_STATE = (key: string) => `
local chain = redis.call('HMGET', ${key}, 'head', 'from', 'since')
local state = (chain[1] or '') .. '|' .. (chain[2] or '1') .. '|' .. (chain[3] or '')`;

/**
 * Redis has no SHA-256, so the writer brings the hashes. If they do not continue the chain, nothing is written and
 * the state to continue is returned.
 *
 * KEYS: mark, journal, kinds, lease, claims, conversations, chain, uncommitted, documents …
 * ARGV: mark, conversation, afterSeq, fence or '', state that the hashes continue, new head or '', number of claims,
 * claims …, texts of the documents …, then kind and text of each line.
 */
export const APPEND = script(`${SAME_STORE}
local seen = tonumber(redis.call('HGET', KEYS[4], 'fence') or '0')
local fence = tonumber(ARGV[4])
if fence and fence < seen then return {'fenced', seen} end
local documents = 8 + ARGV[7]
local lines = documents + #KEYS - 8
for i = 8, documents - 1 do
  if redis.call('HEXISTS', KEYS[5], ARGV[i]) == 1 then return {'claimed', ARGV[i]} end
end
local seq = redis.call('LLEN', KEYS[2])
if seq ~= tonumber(ARGV[3]) then return {'moved', seq} end
${CHAIN_STATE("KEYS[7]")}
if state ~= ARGV[5] then return {'unchained', state} end

for i = 8, documents - 1 do redis.call('HSET', KEYS[5], ARGV[i], ARGV[2]) end
for i = 9, #KEYS do redis.call('SET', KEYS[i], ARGV[documents + i - 9]) end
for i = lines, #ARGV, 2 do
  seq = redis.call('RPUSH', KEYS[2], ARGV[i + 1])
  redis.call('HSET', KEYS[3], ARGV[i], seq)
end
if ARGV[6] ~= '' then
  redis.call('HSET', KEYS[7], 'head', ARGV[6])
  redis.call('HSET', KEYS[8], ARGV[2], string.format('%.0f', seq) .. ' ' .. ARGV[6])
end
if seq > 0 then redis.call('SADD', KEYS[6], ARGV[2]) end
if fence and fence > seen then redis.call('HSET', KEYS[4], 'fence', ARGV[4]) end
return {'written', seq}`);

/** KEYS: mark, journal, chain. Number of lines and the chain's state. */
export const HEAD = script(`${SAME_STORE}
${CHAIN_STATE("KEYS[3]")}
return {redis.call('LLEN', KEYS[2]), state}`);

/** KEYS: mark, journals … Number of lines in all of them. */
export const COUNT = script(`${SAME_STORE}
local lines = 0
for i = 2, #KEYS do lines = lines + redis.call('LLEN', KEYS[i]) end
return lines`);

/** KEYS: mark, journal. ARGV: mark, first and last index. */
export const READ = script(`${SAME_STORE}
return redis.call('LRANGE', KEYS[2], ARGV[2], ARGV[3])`);

/** KEYS: mark, journal, kinds. ARGV: mark, kind. */
export const LAST = script(`${SAME_STORE}
local seq = redis.call('HGET', KEYS[3], ARGV[2])
if not seq then return {} end
return {seq, redis.call('LINDEX', KEYS[2], seq - 1)}`);

/** KEYS: mark, conversations. ARGV: mark. */
export const CONVERSATIONS = script(`${SAME_STORE}
return redis.call('SMEMBERS', KEYS[2])`);

/** KEYS: mark, uncommitted. ARGV: mark. */
export const UNCOMMITTED = script(`${SAME_STORE}
return redis.call('HGETALL', KEYS[2])`);

/** KEYS: mark, uncommitted. ARGV: mark, then conversation and end of each. */
export const MARK_COMMITTED = script(`${SAME_STORE}
for i = 2, #ARGV, 2 do
  if redis.call('HGET', KEYS[2], ARGV[i]) == ARGV[i + 1] then redis.call('HDEL', KEYS[2], ARGV[i]) end
end
return 1`);

/** KEYS: mark, lease. ARGV: mark, holder, ttlMs. The new fence, or 0 when somebody else holds it. */
export const ACQUIRE = script(`${SAME_STORE}${CLOCK}
local lease = redis.call('HMGET', KEYS[2], 'holder', 'until')
if tonumber(lease[2] or '0') > now and lease[1] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[2], 'holder', ARGV[2], 'until', int(now + ARGV[3]))
return redis.call('HINCRBY', KEYS[2], 'fence', 1)`);

/** KEYS: mark, lease. ARGV: mark, fence, ttlMs. */
export const RENEW = script(`${SAME_STORE}${CLOCK}
local lease = redis.call('HMGET', KEYS[2], 'fence', 'until')
if lease[1] ~= ARGV[2] or tonumber(lease[2] or '0') <= now then return 0 end
redis.call('HSET', KEYS[2], 'until', int(now + ARGV[3]))
return 1`);

/** KEYS: mark, lease. ARGV: mark, fence. */
export const RELEASE = script(`${SAME_STORE}
if redis.call('HGET', KEYS[2], 'fence') == ARGV[2] then redis.call('HSET', KEYS[2], 'until', 0) end
return 1`);
