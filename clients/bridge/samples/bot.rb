# A bot in Ruby: plays any of its legal moves. Run it with `referee match "ruby bot.rb" random`.
require "json"

$stdout.sync = true # Flush each line.

def choose(turn)
  turn["legal_moves"].sample # Your strategy goes here.
end

$stdin.each_line do |line|
  message = JSON.parse(line)
  puts JSON.generate(id: message["id"], move: choose(message)) if message["type"] == "turn"
end
