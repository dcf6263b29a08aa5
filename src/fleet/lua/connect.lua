-- Takes over a connection unless a live replica holds it. With an empty replica name, only reads it.
-- ARGV: connection, replica, `initialize` message or empty, expiry in s. Returns: holder, its info, message.
local key = p .. 'connection:' .. ARGV[1]
local its = redis.call('HGET', key, 'holder')
if ARGV[2] ~= '' and (not its or its == ARGV[2] or redis.call('EXISTS', replica(its)) == 0) then
  redis.call('HSET', key, 'holder', ARGV[2])
  if ARGV[3] ~= '' then redis.call('HSET', key, 'began', ARGV[3]) end
  redis.call('EXPIRE', key, ARGV[4])
end
local holder, began = unpack(redis.call('HMGET', key, 'holder', 'began'))
if not holder then return {} end
redis.call('EXPIRE', key, ARGV[4])
return {holder, redis.call('GET', replica(holder)) or '', began or ''}
