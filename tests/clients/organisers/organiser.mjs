// The program registers a bot, lets it play a match against itself, watches it, and prints what it has seen as lines.

import { CallError, Organiser, optionsFromEnvironment, play } from "referee-client";

const options = optionsFromEnvironment(process.env);
const organiser = new Organiser(options);
const token = await organiser.registerBot("gopher", "plays whatever comes first");
try {
  await organiser.registerBot("gopher", "again");
} catch (error) {
  console.log("error", error instanceof CallError && error.reason);
}

const stop = new AbortController();
const playing = play(({ legalMoves }) => legalMoves[0], { ...options, token, signal: stop.signal });

const clock = { fischer: { mainMs: 3_600_000, incrementMs: 1_000 } };
const terms = { game: "alquerque", clock, startTimeoutMs: 600_000, title: "test" };
const match = await organiser.createMatch(terms, ["gopher", "gopher"]);
console.log("match", match.game, match.title, ...match.bots);

let moves = 0;
let next = 1;
let position;
for await (const entry of organiser.watch(match.id)) {
  if (entry.number !== next) {
    throw new Error(`entry ${entry.number} follows ${next - 1}`);
  }
  next += 1;
  if (entry.move) {
    moves += 1;
    position = entry.position;
  }
}
console.log("moves", moves > 0, position !== "");
const result = await organiser.result(match.id);
console.log("result", result.kind, result.scores.length);
const record = await organiser.record(match.id);
console.log("record", record.split("\n").length > moves);
console.log("over", (await organiser.match(match.id)).result?.kind === result.kind);

const other = await organiser.createMatch(terms, ["gopher", ""]);
const watching = new AbortController();
try {
  for await (const { kind } of organiser.watch(other.id, { signal: watching.signal })) {
    console.log("entry", kind);
    watching.abort();
  }
} catch (error) {
  console.log("cancelled", error === watching.signal.reason);
}
await organiser.abortMatch(other.id, "not needed");
console.log("aborted", (await organiser.result(other.id)).reason);

stop.abort();
await playing;
organiser.close();
console.log("stopped");
