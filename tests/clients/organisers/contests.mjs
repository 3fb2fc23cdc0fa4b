// The program lets two bots play a tournament and a ladder, watches both, and prints what it has seen as lines.

import { CallError, Organiser, optionsFromEnvironment, play } from "referee-client";

const BOTS = ["anna", "bert"];
const options = optionsFromEnvironment(process.env);
const organiser = new Organiser(options);
const { tournaments, ladders } = organiser;
const stop = new AbortController();
const playing = [];
for (const name of BOTS) {
  const token = await organiser.registerBot(name);
  playing.push(play(({ legalMoves }) => legalMoves[0], { ...options, token, signal: stop.signal }));
}
const match = { game: "alquerque", clock: { fischer: { mainMs: 3_600_000, incrementMs: 1_000 } } };

const terms = { match, format: { roundRobin: { cycles: 2 } }, maxConcurrentMatches: 1 };
const created = await tournaments.create("cup", terms, { title: "The cup", entrants: ["anna"] });
console.log("created", created.title, created.game, created.format, created.phase);
await tournaments.enter("cup", "carl").catch((error) => {
  console.log("error", error instanceof CallError && error.reason, error.metadata.bot);
});
await tournaments.enter("cup", { name: "guest", bots: ["bert"] });
const left = await tournaments.withdraw("cup", "guest", "not yet");
console.log("entrants", left.entrants.length, (await tournaments.enter("cup", "bert")).entrants.length);
await tournaments.start("cup");
const kinds = [];
let final = [];
for await (const { number, kind, standings } of tournaments.watch("cup")) {
  kinds.push(kind);
  if (number !== kinds.length) {
    throw new Error(`entry ${number} is the ${kinds.length}th`);
  }
  final = standings;
}
console.log("watched", kinds[0], kinds.at(-1), kinds.includes("pairing"));
for await (const { number, kind } of tournaments.watch("cup", { after: kinds.length - 1 })) {
  console.log("later", number === kinds.length, kind);
}
const standings = await tournaments.standings("cup");
const points = standings.reduce((sum, row) => sum + row.points, 0);
console.log("standings", points, JSON.stringify(standings) === JSON.stringify(final));
const pairings = await collect(tournaments.pairings("cup", { entrant: "anna" }));
console.log("pairings", pairings.length, ...pairings.map(({ phase, round }) => `${phase} ${round}`));
console.log("played", (await organiser.match(pairings[0].matchIds[0])).tournament);
const finished = await collect(tournaments.list({ game: "alquerque", bot: "bert", phase: "finished" }));
console.log("list", ...finished.map(({ name, completedPairings }) => `${name} ${completedPairings}`));
console.log("export", (await tournaments.export("cup", "csv")).includes("bert"));
console.log("record", (await tournaments.record("cup")).split("\n").length > kinds.length);
await tournaments.create("rain", terms);
const cancelled = await tournaments.cancel("rain", "rain");
console.log("cancelled", cancelled.phase, (await tournaments.get("rain")).endTime instanceof Date);

await ladders.create("main", { matches: [match], maxConcurrentMatches: 1 }, { title: "Main" });
console.log("joined", ...(await Promise.all(BOTS.map(async (bot) => (await ladders.join("main", bot)).entrant.name))));
const challenge = await ladders.challenge("main", BOTS);
console.log("challenge", ...[...challenge.entrants].sort());
console.log("paused", (await ladders.pause("main", "lunch")).paused, (await ladders.resume("main")).paused);
const watching = new AbortController();
let next = 1;
try {
  for await (const { number, kind, ratings } of ladders.watch("main", { signal: watching.signal })) {
    next += number === next ? 1 : Infinity;
    if (kind === "match_rated") {
      console.log("rated", ...ratings.map(({ bot, after }) => `${bot} ${after.matches}`).sort());
      watching.abort();
    }
  }
} catch (error) {
  console.log("aborted", error === watching.signal.reason);
}
await ladders.leave("main", "bert");
console.log("open", (await collect(ladders.list({ bot: "anna" }))).map(({ name }) => name).join());
console.log("closed", (await ladders.close("main", "thanks")).closed);
let last = "";
for await (const { number, kind } of ladders.watch("main", { after: next - 1 })) {
  last = kind;
  next += number === next ? 1 : Infinity;
}
console.log("watched", last, Number.isFinite(next));
const table = await collect(ladders.standings("main"));
console.log("standings", ...table.map(({ rank, entrant, rating }) => `${rank} ${entrant.name} ${rating.provisional}`));
console.log("record", (await ladders.record("main")).split("\n").length >= next);
const known = await collect(ladders.list({ includeClosed: true }));
console.log("list", ...known.map(({ name, games, closed }) => `${name} ${games} ${closed}`));
console.log("get", (await ladders.get("main")).title);

stop.abort();
await Promise.all(playing);
organiser.close();
console.log("stopped");

async function collect(items) {
  const collected = [];
  for await (const item of items) {
    collected.push(item);
  }
  return collected;
}
