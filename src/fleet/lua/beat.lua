-- replica, what others are to know of it, milliseconds: whether it was alive until now
local was = redis.call('EXISTS', replica(ARGV[1]))
redis.call('SET', replica(ARGV[1]), ARGV[2], 'PX', ARGV[3])
return was
