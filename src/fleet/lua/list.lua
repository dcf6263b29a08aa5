-- owner: its sessions and when they end, the next to end first
return redis.call('ZRANGEBYSCORE', owned(ARGV[1]), '(' .. now, '+inf', 'WITHSCORES')
