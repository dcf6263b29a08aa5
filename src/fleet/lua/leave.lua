-- Removes a replica that leaves the group. ARGV: replica.
redis.call('DEL', replica(ARGV[1]))
return 1
