// Bots that take one whenever it is their turn: MATCHES SECONDS on a line, the moves they made on a line back.
import { createInterface } from "node:readline";
import bgio from "boardgame.io/dist/cjs/client.js";
import multiplayer from "boardgame.io/dist/cjs/multiplayer.js";
import { heap } from "./game.js";

const address = `http://127.0.0.1:${process.argv[2]}`;
const numPlayers = 2;
let moves = 0;
let playing = false;
const bots = [];

async function post(path, body) {
  const answer = await fetch(`${address}/games/heap/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return answer.json();
}

async function seat(matchID, playerID) {
  const { playerCredentials } = await post(`${matchID}/join`, { playerID, playerName: `bot ${playerID}` });
  const bot = bgio.Client({
    game: heap,
    multiplayer: multiplayer.SocketIO({ server: address }),
    matchID,
    playerID,
    credentials: playerCredentials,
    debug: false,
  });
  let last = -1;
  bot.answer = () => {
    const state = bot.getState();
    // The client plays ahead of the server: only what the server has confirmed is answered, once.
    if (!playing || !state?.isActive || state.ctx.turn === last) return;
    last = state.ctx.turn;
    moves++;
    bot.moves.take(1);
  };
  bot.subscribe(() => setImmediate(bot.answer));
  bot.start();
  bots.push(bot);
}

for await (const line of createInterface({ input: process.stdin })) {
  const [matches, seconds] = line.split(" ").map(Number);
  while (bots.length < matches * numPlayers) {
    const { matchID } = await post("create", { numPlayers });
    for (let player = 0; player < numPlayers; player++) await seat(matchID, String(player));
  }
  const before = moves;
  playing = true;
  bots.forEach((bot) => bot.answer());
  await new Promise((done) => setTimeout(done, seconds * 1000));
  playing = false;
  await new Promise((done) => setTimeout(done, 200));
  console.log(moves - before);
}
process.exit();
