-- Claims a session. If another live replica holds it, returns that replica's info and remaining lease in ms.
-- ARGV: session, owner, replica.
local id, owner, me = ARGV[1], ARGV[2], ARGV[3]
local s = session(id)
local its, expires, holder = unpack(redis.call('HMGET', s, 'owner', 'expires', 'holder'))
if its ~= owner then return {'none'} end
if tonumber(expires) <= now then return {'expired'} end
if holder ~= '' and holder ~= me then
  local info = redis.call('GET', replica(holder))
  if info then return {'held', info, tostring(redis.call('PTTL', replica(holder)))} end
end
if redis.call('EXISTS', replica(me)) == 0 then return {'lapsed'} end
local before, fence = redis.call('HGET', s, 'token'), token()
redis.call('HSET', s, 'holder', me, 'token', fence)
if holder ~= me then redis.call('HINCRBY', s, 'adoptions', 1) end
local on, contexts, created, adoptions, saved =
  unpack(redis.call('HMGET', s, 'node', 'contexts', 'created', 'adoptions', 'saved'))
return {'mine', fence, before, on, contexts, created, expires, string.format('%.0f', expires - now), adoptions, saved or ''}
