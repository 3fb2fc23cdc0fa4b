#!/usr/bin/env node
/** referee-bot [FILE]: plays with the bot in that file, or with the random bot if there is no FILE. */

import { resolve } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

import { runModule } from "./program.js";

const [, , file] = argv;
const bot = file ? pathToFileURL(resolve(file)) : new URL("./random-bot.js", import.meta.url);
process.exit(await runModule(bot));
