-- Stores a lost session again. ARGV: session, owner, replica, remaining lifetime in ms, browser, contexts.
local id, me = ARGV[1], ARGV[3]
if redis.call('EXISTS', session(id)) == 1 then return {'none'} end
if redis.call('EXISTS', replica(me)) == 0 then return {'lapsed'} end
local fence = token()
write(id, ARGV[2], me, fence, now + tonumber(ARGV[4]), ARGV[5])
redis.call('HSET', session(id), 'contexts', ARGV[6])
return {'opened', fence}
