-- owner, when a pause began or nothing to ask, its length in milliseconds: when the pause that goes on began
local key = p .. 'cooldown:' .. ARGV[1]
if ARGV[2] ~= '' then redis.call('SET', key, ARGV[2], 'NX', 'PX', ARGV[3]) end
return redis.call('GET', key)
