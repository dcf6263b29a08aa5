-- Reserves the next navigation to a site. ARGV: site, minimum interval in ms. Returns the ms to wait.
local key = p .. 'site:' .. ARGV[1]
local free = math.max(now, tonumber(redis.call('GET', key) or '0'))
local next_one = free + tonumber(ARGV[2])
redis.call('SET', key, string.format('%.0f', next_one), 'PX', math.max(1, math.floor(next_one - now)))
return math.floor(free - now)
