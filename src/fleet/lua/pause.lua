-- Starts an owner's cooldown unless one is active (start empty: only reads). Returns the active start.
-- ARGV: owner, start, duration in ms.
local key = p .. 'cooldown:' .. ARGV[1]
if ARGV[2] ~= '' then redis.call('SET', key, ARGV[2], 'NX', 'PX', ARGV[3]) end
return redis.call('GET', key)
