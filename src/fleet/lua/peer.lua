-- replica: how it is called, if it lives
return redis.call('GET', replica(ARGV[1])) or ''
