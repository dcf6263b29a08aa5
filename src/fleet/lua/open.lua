-- Creates a session on the browser with the lowest load. ARGV: session, owner, replica, lifetime in ms,
-- maximum number of sessions; then for each browser: name, capacity, load besides the sessions.
local id, owner, me = ARGV[1], ARGV[2], ARGV[3]
redis.call('ZREMRANGEBYSCORE', owned(owner), '-inf', now)
if redis.call('ZCARD', owned(owner)) >= tonumber(ARGV[5]) then return {'limit'} end
local best, least
for at = 6, #ARGV, 3 do
  redis.call('ZREMRANGEBYSCORE', node(ARGV[at]), '-inf', now)
  local load = redis.call('ZCARD', node(ARGV[at])) + tonumber(ARGV[at + 2])
  local capacity = tonumber(ARGV[at + 1])
  if load < capacity and (not least or load / capacity < least) then
    best, least = ARGV[at], load / capacity
  end
end
if #ARGV > 5 and not best then return {'full'} end
if redis.call('EXISTS', replica(me)) == 0 then return {'lapsed'} end
local fence, expires = token(), now + tonumber(ARGV[4])
write(id, owner, me, fence, expires, best or '')
return {'opened', fence, best or '', string.format('%.0f', expires)}
