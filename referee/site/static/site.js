// Shows times in the reader's zone, and replaces the regions of a page that changed on the server.

const main = document.querySelector("main");
const connection = document.getElementById("connection");

export function showTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    const year = at.getFullYear() === new Date().getFullYear() ? undefined : "numeric";
    time.textContent = at.toLocaleString(undefined, { year, month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
    time.title = time.dateTime;
  }
}

// Opens a stream of events that continues after interruptions, also of the whole server.
export function openEvents(address, handle) {
  let source;
  let pause = 500;
  const open = () => {
    source = new EventSource(address());
    source.onopen = () => { connection.textContent = ""; pause = 500; };
    source.onmessage = (event) => handle(JSON.parse(event.data), event.lastEventId);
    source.addEventListener("reload", () => location.reload());
    source.onerror = () => {
      source.close();
      connection.textContent = "Connection lost; trying again…";
      timer = setTimeout(open, pause * (0.75 + Math.random() / 2));
      pause = Math.min(10000, pause * 2);
    };
  };
  let timer;
  open();
  return () => { source.close(); clearTimeout(timer); connection.textContent = ""; };
}

function replaceRegions({ regions }, version) {
  for (const [id, html] of Object.entries(regions)) {
    const region = document.getElementById(id);
    if (!region || region.innerHTML === html) continue;
    const opened = [...region.querySelectorAll("details")].map((one) => [one.querySelector("summary").textContent, one.open]);
    const focused = region.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    region.innerHTML = html;
    for (const details of region.querySelectorAll("details")) {
      const before = opened.find(([title]) => title === details.querySelector("summary").textContent);
      if (before) details.open = before[1];
    }
    if (focused) region.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
    showTimes(region);
  }
  main.dataset.version = version;
}

showTimes(document);
if (main.dataset.events) {
  openEvents(() => `${main.dataset.events}?version=${main.dataset.version}`, replaceRegions);
}
if (document.getElementById("match")) import("./match.js");
