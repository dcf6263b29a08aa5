-- Starts an owner's cooldown unless one is active; with an empty start, only reads it. Returns the active one's start.
-- ARGV: owner, start, length in ms.
local key = p .. 'cooldown:' .. ARGV[1]
if ARGV[2] ~= '' then redis.call('SET', key, ARGV[2], 'NX', 'PX', ARGV[3]) end
return redis.call('GET', key)
