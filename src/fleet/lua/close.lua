-- Removes a session, if the token is its latest. ARGV: session, token.
if redis.call('HGET', session(ARGV[1]), 'token') ~= ARGV[2] then return 0 end
forget(ARGV[1])
return 1
