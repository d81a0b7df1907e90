// The colours of the page: as the system, light or dark.
import { replace } from "./dom.js";

const themes = [["auto", "◐", "Colours: as the system"], ["light", "☀", "Colours: light"], ["dark", "☾", "Colours: dark"]];
const control = document.getElementById("theme");

function setTheme(name) {
  const [id, sign, label] = themes.find(([theme]) => theme === name) || themes[0];
  document.documentElement.dataset.theme = id;
  replace(control, sign);
  control.setAttribute("aria-label", label);
  control.title = label;
  localStorage.setItem("theme", id);
}

// Applies the choice that is remembered, and lets the button change it.
export function startTheme() {
  setTheme(localStorage.getItem("theme") || "auto");
  control.addEventListener("click", () => {
    const now = themes.findIndex(([theme]) => theme === document.documentElement.dataset.theme);
    setTheme(themes[(now + 1) % themes.length][0]);
  });
}
