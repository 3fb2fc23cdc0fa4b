// boardgame.io's server, as its documentation starts it. What it records lies in memory, or in the folder it is told.
import bgio from "boardgame.io/dist/cjs/server.js";
import { heap } from "./game.js";

const { Server, FlatFile } = bgio;
const folder = process.argv[2];
const db = folder ? new FlatFile({ dir: folder }) : undefined;
const running = await Server({ games: [heap], origins: ["*"], db }).run({ port: 0, lobbyConfig: {} });
console.log(JSON.stringify({ port: running.appServer.address().port }));
