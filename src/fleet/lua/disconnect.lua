-- connection: it has ended
return redis.call('DEL', p .. 'connection:' .. ARGV[1])
