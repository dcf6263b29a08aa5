-- session, token: ends it
if redis.call('HGET', session(ARGV[1]), 'token') ~= ARGV[2] then return 0 end
forget(ARGV[1])
return 1
