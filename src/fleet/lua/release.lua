-- session, token: leaves it to whoever is asked for it next
if redis.call('HGET', session(ARGV[1]), 'token') ~= ARGV[2] then return 0 end
redis.call('HSET', session(ARGV[1]), 'holder', '')
return 1
