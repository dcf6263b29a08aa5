-- Removes a connection that has ended. ARGV: connection.
return redis.call('DEL', p .. 'connection:' .. ARGV[1])
