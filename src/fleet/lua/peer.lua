-- Returns the info of a live replica, or an empty string. ARGV: replica.
return redis.call('GET', replica(ARGV[1])) or ''
