-- Removes a closed connection. ARGV: connection.
return redis.call('DEL', p .. 'connection:' .. ARGV[1])
