-- SPDX-License-Identifier: Apache-2.0
-- String building: one round makes lines of a report by concatenation, formatting and a buffer table,
-- takes them apart again and counts what it finds. What is printed is the same in every version.
local rounds = tonumber(arg[1])

local function line(i)
  local key = "item" .. i .. "/" .. (i % 97)
  return key .. "=" .. string.format("%05d", i * 7 % 100000) .. ";" .. string.rep("x", i % 13)
end

local function round(n)
  local buffer, length, vowels = {}, 0, 0
  for i = 1, 1500 do
    buffer[#buffer + 1] = line(i + n)
  end
  local text = table.concat(buffer, "\n")
  for key, value in string.gmatch(text, "(%w+)/%d+=(%d+)") do
    length = length + #key + tonumber(value) % 10
  end
  local piece = ""
  for i = 1, #text, 61 do
    piece = piece .. string.sub(text, i, i + 2)
    if string.byte(text, i) == 120 then vowels = vowels + 1 end
  end
  local swapped = string.gsub(text, "item", "thing")
  return length + vowels + #piece + #string.upper(swapped)
end

local sum = 0
for n = 1, rounds do
  sum = (sum * 31 + round(n)) % 1000003
end
print("strings", rounds, string.format("%d", sum))
