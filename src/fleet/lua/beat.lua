-- Records a heartbeat. ARGV: replica, its info for others, lease in ms. Returns 1 if it was still alive.
local was = redis.call('EXISTS', replica(ARGV[1]))
redis.call('SET', replica(ARGV[1]), ARGV[2], 'PX', ARGV[3])
return was
