-- Removes expired sessions whose server is gone. ARGV: maximum number. Returns browser and contexts of each.
local found = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', expiries, '-inf', now - 1000, 'LIMIT', 0, ARGV[1])) do
  local holder, on, contexts = unpack(redis.call('HMGET', session(id), 'holder', 'node', 'contexts'))
  if not holder then
    redis.call('ZREM', expiries, id)
  elseif holder == '' or redis.call('EXISTS', replica(holder)) == 0 then
    forget(id)
    found[#found + 1] = on
    found[#found + 1] = contexts
  end
end
return found
