-- Lists an owner's sessions with their expiry, earliest first. ARGV: owner.
return redis.call('ZRANGEBYSCORE', owned(ARGV[1]), '(' .. now, '+inf', 'WITHSCORES')
