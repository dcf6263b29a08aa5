-- Removes a session if the token is the latest. ARGV: session, token. Returns 1 if removed, else 0.
if redis.call('HGET', session(ARGV[1]), 'token') ~= ARGV[2] then return 0 end
forget(ARGV[1])
return 1
