// The page of a match: live by server-sent events, and a replay of what has been played.

import { openEvents } from "./site.js";

const page = document.getElementById("match");
const board = document.getElementById("board");
const caption = document.getElementById("caption");
const moves = document.getElementById("moves");
const play = document.getElementById("play");
const toLive = document.getElementById("to-live");
const state = document.getElementById("state");
const base = page.dataset.address;
const CHUNK = 20;
const STEP_MS = 700;

const boards = new Map(); // Frames with their boards, by ply.
let number = Number(page.dataset.number);
let ply = Number(page.dataset.ply);
let last = Math.max(ply, ...[...moves.querySelectorAll("a[data-ply]")].map((link) => Number(link.dataset.ply)));
let following = page.dataset.live === "true" && page.dataset.fixed !== "true";
let playing = 0;

// Clocks

let clocksSince = performance.now();

function clockText(left) {
  if (left < 10000) return (Math.max(0, left) / 1000).toFixed(1);
  const seconds = Math.floor(left / 1000) % 60, minutes = Math.floor(left / 60000) % 60, hours = Math.floor(left / 3600000);
  const two = (value) => String(value).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

function showClocks(clocks, toMove, running) {
  for (const { seat, left, running: runs } of clocks) {
    const clock = page.querySelector(`[data-clock="${seat}"]`);
    if (!clock) continue;
    if (left === null) { clock.textContent = ""; delete clock.dataset.left; continue; }
    clock.dataset.left = left;
    if (running && runs) clock.dataset.running = "true"; else delete clock.dataset.running;
    clock.textContent = clockText(left);
  }
  for (const seat of page.querySelectorAll("#seats li")) {
    seat.classList.toggle("to-move", toMove.includes(Number(seat.dataset.seat)));
  }
  clocksSince = performance.now();
}

function runClocks() {
  const spent = performance.now() - clocksSince;
  for (const clock of page.querySelectorAll("[data-running]")) {
    const left = Number(clock.dataset.left) - spent;
    clock.textContent = clockText(left);
    clock.classList.toggle("low", left < 10000);
  }
}

// Moves

function moveRow(frame) {
  const row = document.createElement("li");
  row.dataset.number = frame.number;
  if (frame.kind !== "move_played") {
    row.className = "event";
    row.textContent = frame.text;
    return row;
  }
  const add = (tag, text, set = {}) => { const one = Object.assign(document.createElement(tag), { textContent: text, ...set }); row.append(one); return one; };
  add("span", `${frame.ply}.`, { className: "ply" });
  add("i", "", { className: page.querySelector(`[data-seat="${frame.seat}"] .key`).className });
  add("a", frame.text, { href: `${base}?ply=${frame.ply}` }).dataset.ply = frame.ply;
  if (frame.charged !== null) add("small", frame.charged < 1000 ? `${Number(frame.charged.toPrecision(2))} ms` : `${Number((frame.charged / 1000).toPrecision(3))} s`);
  if (frame.note) add("span", frame.note, { className: "note" });
  return row;
}

function markMove() {
  for (const link of moves.querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
  const link = moves.querySelector(`a[data-ply="${ply}"]`);
  if (link) {
    link.setAttribute("aria-current", "step");
    const row = link.closest("li");
    if (row.offsetTop < moves.scrollTop || row.offsetTop + row.offsetHeight > moves.scrollTop + moves.clientHeight) {
      moves.scrollTop = row.offsetTop - moves.clientHeight / 2;
    }
  }
  caption.textContent = link ? `${ply}. ${link.textContent}` : ply === 0 && board.querySelector("svg") ? "The start" : "";
}

function show(frame, running) {
  if (frame.board) board.innerHTML = frame.board;
  ply = frame.ply;
  page.dataset.ply = ply;
  showClocks(frame.clocks, frame.toMove, running);
  markMove();
}

// Replay

async function load(from) {
  const first = Math.floor(from / CHUNK) * CHUNK;
  const response = await fetch(`${base}/frames?ply=${first}&count=${CHUNK}`);
  if (!response.ok) throw new Error(response.statusText);
  for (const frame of (await response.json()).frames) boards.set(frame.ply, frame);
}

async function goTo(target, { push = true } = {}) {
  const wanted = Math.min(Math.max(0, target), last);
  if (!boards.has(wanted)) {
    try { await load(wanted); } catch { return false; }
  }
  // Choices that are revealed together share a move: the nearest board in the direction of the step.
  const known = [...boards.keys()].sort((one, other) => one - other);
  const found = wanted >= ply ? known.find((one) => one >= wanted) : known.findLast((one) => one <= wanted);
  const frame = boards.get(found ?? wanted);
  if (!frame) return false;
  follow(false);
  show(frame, false);
  if (push) history.replaceState(null, "", `?ply=${frame.ply}`);
  return true;
}

function follow(on) {
  following = on && page.dataset.live === "true";
  toLive?.setAttribute("aria-current", String(following));
}

function stopPlaying() {
  clearTimeout(playing);
  playing = 0;
  play.textContent = "Play";
}

async function playFrom(target) {
  if (!(await goTo(target)) || ply >= last) return stopPlaying();
  if (playing) playing = setTimeout(() => playFrom(ply + 1), STEP_MS);
}

function togglePlaying() {
  if (playing) return stopPlaying();
  play.textContent = "Pause";
  playing = setTimeout(() => playFrom(ply < last ? ply + 1 : 0), 0);
}

const STEPS = { first: () => 0, previous: () => ply - 1, next: () => ply + 1, last: () => last };

for (const link of page.querySelectorAll("[data-step]")) {
  link.addEventListener("click", (event) => { event.preventDefault(); stopPlaying(); goTo(STEPS[link.dataset.step]()); });
}
moves.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-ply]");
  if (link) { event.preventDefault(); stopPlaying(); goTo(Number(link.dataset.ply)); }
});
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select")) return;
  const step = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" }[event.key];
  if (step) { event.preventDefault(); stopPlaying(); goTo(STEPS[step]()); }
  if (event.key === " " && !event.target.closest("button, a, summary")) { event.preventDefault(); togglePlaying(); }
});
play.hidden = false;
play.addEventListener("click", togglePlaying);
toLive?.addEventListener("click", (event) => { event.preventDefault(); location.assign(base); });

// Live

if (page.dataset.live === "true") {
  follow(following);
  setInterval(runClocks, 100);
  const close = openEvents(() => `${base}/events?after=${number}`, ({ frames, board: drawn, result }, id) => {
    const atEnd = moves.scrollTop + moves.clientHeight >= moves.scrollHeight - 8;
    for (const frame of frames) if (frame.text) moves.append(moveRow(frame));
    number = Number(id);
    const newest = frames.at(-1);
    last = newest.ply;
    if (following) show({ ...newest, board: drawn }, true);
    if (atEnd && following) moves.scrollTop = moves.scrollHeight;
    if (result) {
      state.textContent = result;
      close();
      page.dataset.live = "false";
      for (const clock of page.querySelectorAll("[data-running]")) delete clock.dataset.running;
      toLive.textContent = "Reload with the record";
      toLive.setAttribute("aria-current", "false");
      boards.clear();
    }
  });
}
markMove();
