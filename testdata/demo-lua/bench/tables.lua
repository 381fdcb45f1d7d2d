-- SPDX-License-Identifier: Apache-2.0
-- Table access: arrays, records, string keys, a sieve and a sort. What is printed is the same in every
-- version.
local rounds = tonumber(arg[1])

local function sieve(n)
  local composite, count = {}, 0
  for i = 2, n do
    if not composite[i] then
      count = count + 1
      for k = i * i, n, i do composite[k] = true end
    end
  end
  return count
end

local function bodies(n)
  local list = {}
  for i = 1, n do list[i] = {x = i, y = i * 2, mass = i % 7 + 1} end
  for _ = 1, 20 do
    for i = 1, n do
      local body = list[i]
      body.x = (body.x + body.y * body.mass) % 10007
      body.y = (body.y + body.x) % 10009
    end
  end
  return list[n].x + list[1].y
end

local function words(n)
  local count, seen = {}, 0
  for i = 1, n do
    local key = "k" .. i * i % 911
    count[key] = (count[key] or 0) + 1
  end
  for _, times in pairs(count) do seen = seen + times * times % 13 end
  return seen
end

local function sorted(n, seed)
  local list = {}
  for i = 1, n do
    seed = (seed * 1103515245 + 12345) % 2147483648
    list[i] = seed
  end
  table.sort(list, function(a, b) return a < b end)
  table.insert(list, 1, list[n // 2])
  return table.remove(list) + list[1]
end

local sum = 0
for n = 1, rounds do
  sum = (sum * 31 + sieve(20000) + bodies(300) + words(4000) + sorted(1500, n)) % 1000003
end
print("tables", rounds, string.format("%d", sum))
