/** Organises a match, which is the task of the conformance kit: creates and watches it, reads its result and record. */

import { env } from "node:process";

import { CallError, Organiser, optionsFromEnvironment } from "./index.js";

const organiser = new Organiser(optionsFromEnvironment(env));
try {
  const terms = { game: "alquerque", clock: { suddenDeath: { mainMs: 60_000 } }, title: "conformance" };
  const { id } = await organiser.createMatch(terms, ["anna", "bert"]);
  for await (const { number } of organiser.watch(id)) {
    console.log(`entry ${number}`);
  }
  const { result } = await organiser.match(id);
  console.log(`result ${result?.kind === "void" ? "voided" : result?.kind}`);
  const record = await organiser.record(id);
  console.log(`record ${record.split("\n").length - 1}`);
} catch (error) {
  console.error(error instanceof CallError ? error.reason : error);
  process.exitCode = 1;
} finally {
  organiser.close();
}
