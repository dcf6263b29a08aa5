-- replica, connections: it is gone
redis.call('DEL', replica(ARGV[1]))
return 1
