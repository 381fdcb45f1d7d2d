-- SPDX-License-Identifier: Apache-2.0
-- Closures: made, called, with upvalues of their own and shared ones, variable arguments, protected
-- calls and coroutines. What is printed is the same in every version.
local rounds = tonumber(arg[1])

local function counter(step)
  local value = 0
  return function(times)
    for _ = 1, times do value = value + step end
    return value
  end
end

local function compose(first, second)
  return function(...) return first(second(...)) end
end

local function fold(f, start, ...)
  for i = 1, select("#", ...) do start = f(start, (select(i, ...))) end
  return start
end

local function numbers(n)
  return coroutine.wrap(function()
    for i = 1, n do coroutine.yield(i) end
  end)
end

local function add(a, b) return a + b end

local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

local function round(n)
  local sum, chain = 0, function(x) return x + n end
  for i = 1, 2000 do
    local one = counter(i % 5 + 1)
    sum = sum + one(3) + one(2)
    sum = sum + fold(add, i, 1, 2, 3, n)
  end
  for i = 1, 30 do
    chain = compose(chain, function(x) return x + i end)
  end
  for i = 1, 100 do
    local fine, value = pcall(chain, i)
    sum = sum + (fine and value or 0)
  end
  for i in numbers(1000) do sum = sum + i end
  return sum + fib(18)
end

local sum = 0
for n = 1, rounds do
  sum = (sum * 31 + round(n)) % 1000003
end
print("closures", rounds, string.format("%d", sum))
