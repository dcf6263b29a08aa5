-- Saves a session if the token is the latest. ARGV: session, token, browser, contexts, cookies or empty.
local s = session(ARGV[1])
local fence, on, expires = unpack(redis.call('HMGET', s, 'token', 'node', 'expires'))
if fence ~= ARGV[2] then return 0 end
if on ~= ARGV[3] then
  redis.call('ZREM', node(on), ARGV[1])
  redis.call('ZADD', node(ARGV[3]), expires, ARGV[1])
end
redis.call('HSET', s, 'node', ARGV[3], 'contexts', ARGV[4])
if ARGV[5] ~= '' then redis.call('HSET', s, 'saved', ARGV[5]) end
return 1
