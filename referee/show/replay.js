// Steps through the boards of a page by keys, and plays them one after another. Without it, the links between boards do.
const STEP_MS = 700;
const section = document.querySelector(".boards");
const figures = [...section.querySelectorAll("figure")];
const list = document.querySelector(".moves ol");
const play = document.getElementById("play");
const said = document.getElementById("said");
const last = figures.length - 1;
let at = last;
let timer = 0;

function numberOf(hash) {
  return figures.findIndex((figure) => `#${figure.id}` === hash);
}

function markMove() {
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const link = list.querySelector(`a[href="#${figures[at].id}"]`);
  if (!link) { list.scrollTop = 0; return; }
  link.setAttribute("aria-current", "step");
  const row = link.closest("li"), top = row.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
}

function show(number) {
  figures[at].classList.remove("shown");
  at = Math.min(Math.max(0, number), last);
  figures[at].classList.add("shown");
  markMove();
}

function goTo(number) {
  show(number);
  history.replaceState(null, "", `#${figures[at].id}`);
  if (!timer) said.textContent = figures[at].querySelector("figcaption").textContent;
}

function pause() {
  clearTimeout(timer);
  timer = 0;
  play.textContent = "Play";
}

function playOn() {
  timer = setTimeout(playOn, STEP_MS);
  goTo(at + 1);
  if (at === last) pause();
}

function togglePlaying() {
  if (timer) return pause();
  play.textContent = "Pause";
  timer = setTimeout(playOn, STEP_MS);
  if (at === last) goTo(0);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#ply-"]');
  if (!link) return;
  event.preventDefault();
  pause();
  const step = [...figures[at].querySelectorAll("nav a")].indexOf(link);
  goTo(numberOf(link.hash));
  if (step >= 0) figures[at].querySelectorAll("nav a")[step].focus({ preventScroll: true });
  else figures[at].scrollIntoView({ block: "nearest" });
});
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const target = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
  if (target !== undefined) { event.preventDefault(); pause(); goTo(target); }
  if (event.key === " " && !event.target.closest("button, a, ol")) { event.preventDefault(); togglePlaying(); }
});
window.addEventListener("hashchange", () => { pause(); show(Math.max(0, numberOf(location.hash))); });
play.addEventListener("click", togglePlaying);
play.hidden = false;
section.classList.add("scripted");
show(numberOf(location.hash) < 0 ? last : numberOf(location.hash));
