-- A bot in Lua: plays any of its legal moves. Run it with `referee match "lua5.4 bot.lua" random`.

local function moves_of(line)
    local list, moves = line:match('"legal_moves":%[(.-)%]'), {}
    for move in list:gmatch('"([^"]+)"') do
        moves[#moves + 1] = move
    end
    return moves
end

math.randomseed(os.time())
for line in io.lines() do
    if line:sub(1, 15) == '{"type":"turn",' then
        local moves = moves_of(line)
        print(moves[math.random(#moves)]) -- Your strategy goes here.
        io.flush()
    end
end
