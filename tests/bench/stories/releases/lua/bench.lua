-- SPDX-License-Identifier: Apache-2.0
-- Tables, strings, closures and sorting, the same each round.
local function random(seed)
	return function(n)
		seed = (seed * 1103515245 + 12345) & 0x7fffffff
		return seed // 65536 % n + 1
	end
end

local sum = 0
for round = 1, rounds do
	local next, list, counts = random(round), {}, {}
	for i = 1, 12000 do
		list[i] = next(5000)
		local word = string.format("w%d", list[i] % 300)
		counts[word] = (counts[word] or 0) + 1
	end
	table.sort(list, function(a, b) return a > b end)
	local parts = {}
	for word, count in pairs(counts) do
		parts[#parts + 1] = word .. "=" .. count
	end
	table.sort(parts)
	local text = table.concat(parts, ";")
	for name, count in text:gmatch("(%w+)=(%d+)") do
		sum = (sum * 31 + #name + tonumber(count)) % 1000003
	end
	sum = (sum + list[100] + #text:gsub("w1", "v")) % 1000003
end
print(sum)
