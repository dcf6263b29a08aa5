local p = KEYS[1]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)

local function session(id) return p .. 'session:' .. id end
local function replica(id) return p .. 'replica:' .. id end
local function node(name) return p .. 'node:' .. name end
local function owned(owner) return p .. 'owner:' .. owner end
local expiries = p .. 'expiries'

-- Returns a token greater than all earlier ones, even after data loss: at least the Unix time in microseconds.
local function token()
  local last = tonumber(redis.call('GET', p .. 'fence') or '0')
  local fresh = string.format('%.0f', math.max(last + 1, t[1] * 1000000 + t[2]))
  redis.call('SET', p .. 'fence', fresh)
  return fresh
end

local function forget(id)
  local owner, on = unpack(redis.call('HMGET', session(id), 'owner', 'node'))
  if owner then redis.call('ZREM', owned(owner), id) end
  if on then redis.call('ZREM', node(on), id) end
  redis.call('ZREM', expiries, id)
  redis.call('DEL', session(id))
end

local function write(id, owner, holder, fence, expires, on)
  redis.call('HSET', session(id), 'owner', owner, 'holder', holder, 'token', fence, 'node', on,
    'created', now, 'expires', expires, 'contexts', '[]', 'adoptions', 0)
  redis.call('PEXPIREAT', session(id), expires + 600000)
  for _, key in ipairs({owned(owner), node(on)}) do
    redis.call('ZADD', key, expires, id)
    redis.call('PEXPIREAT', key, expires + 600000, 'GT')
    if redis.call('PTTL', key) == -1 then redis.call('PEXPIREAT', key, expires + 600000) end
  end
  redis.call('ZADD', expiries, expires, id)
end
