-- Releases a session, so that any replica can claim it, if the token is the latest. ARGV: session, token.
if redis.call('HGET', session(ARGV[1]), 'token') ~= ARGV[2] then return 0 end
redis.call('HSET', session(ARGV[1]), 'holder', '')
return 1
